//! The schema that reports for code scanning must follow.

/// The schema of SARIF 2.1.0, as the source of `serde-sarif` brings it.
pub(crate) fn schema() -> serde_json::Value {
    // Without a platform, it would want the sources of those crates too that only other platforms need.
    let platform = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let output = std::process::Command::new(env!("CARGO"))
        .args(["metadata", "--filter-platform", &platform, "--format-version", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|package| package["name"] == "serde-sarif").unwrap();
    let manifest = std::path::Path::new(package["manifest_path"].as_str().unwrap());
    let text = std::fs::read_to_string(manifest.with_file_name("src").join("schema.json")).unwrap();
    // A pattern has a bracket too many, for which validators refuse the whole schema.
    let text = text.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}$");
    let schema: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(schema["$id"].as_str().unwrap().contains("sarif-schema-2.1.0"));
    schema
}
