//! The files of the catalogue, all of them.

/// The name and the text of each file in `rules/apis`.
pub const FILES: &[(&str, &str)] =
    &[("torch_distributed.toml", include_str!("../../rules/apis/torch_distributed.toml"))];
