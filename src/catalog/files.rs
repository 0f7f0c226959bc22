//! The files of the catalogue, all of them.

/// The name and the text of each file in `rules/apis`.
pub const FILES: &[(&str, &str)] = &[
    ("byteps.toml", include_str!("../../rules/apis/byteps.toml")),
    ("deepspeed.toml", include_str!("../../rules/apis/deepspeed.toml")),
    ("devices.toml", include_str!("../../rules/apis/devices.toml")),
    ("ferrompi.toml", include_str!("../../rules/apis/ferrompi.toml")),
    ("horovod.toml", include_str!("../../rules/apis/horovod.toml")),
    ("mpi4py.toml", include_str!("../../rules/apis/mpi4py.toml")),
    ("mpi_ffi.toml", include_str!("../../rules/apis/mpi_ffi.toml")),
    ("paddle.toml", include_str!("../../rules/apis/paddle.toml")),
    ("paddle_stream.toml", include_str!("../../rules/apis/paddle_stream.toml")),
    ("python.toml", include_str!("../../rules/apis/python.toml")),
    ("python_testing.toml", include_str!("../../rules/apis/python_testing.toml")),
    ("rsmpi.toml", include_str!("../../rules/apis/rsmpi.toml")),
    ("rust.toml", include_str!("../../rules/apis/rust.toml")),
    ("torch_distributed.toml", include_str!("../../rules/apis/torch_distributed.toml")),
    ("torch_functional.toml", include_str!("../../rules/apis/torch_functional.toml")),
    ("torch_futures.toml", include_str!("../../rules/apis/torch_futures.toml")),
    ("torch_rpc.toml", include_str!("../../rules/apis/torch_rpc.toml")),
    ("unwaited.toml", include_str!("../../rules/apis/unwaited.toml")),
];
