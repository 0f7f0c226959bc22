//! The files of the catalogue, all of them.

/// The name and the text of each file in `rules/apis`.
pub const FILES: &[(&str, &str)] = &[
    ("byteps.toml", include_str!("../../rules/apis/byteps.toml")),
    ("deepspeed.toml", include_str!("../../rules/apis/deepspeed.toml")),
    ("devices.toml", include_str!("../../rules/apis/devices.toml")),
    ("horovod.toml", include_str!("../../rules/apis/horovod.toml")),
    ("mpi4py.toml", include_str!("../../rules/apis/mpi4py.toml")),
    ("mpi4py_parts.toml", include_str!("../../rules/apis/mpi4py_parts.toml")),
    ("numpy_parts.toml", include_str!("../../rules/apis/numpy_parts.toml")),
    ("paddle.toml", include_str!("../../rules/apis/paddle.toml")),
    ("paddle_stream.toml", include_str!("../../rules/apis/paddle_stream.toml")),
    ("python.toml", include_str!("../../rules/apis/python.toml")),
    ("python_parts.toml", include_str!("../../rules/apis/python_parts.toml")),
    ("python_testing.toml", include_str!("../../rules/apis/python_testing.toml")),
    ("quiet_parts.toml", include_str!("../../rules/apis/quiet_parts.toml")),
    ("torch_distributed.toml", include_str!("../../rules/apis/torch_distributed.toml")),
    ("torch_distributed_parts.toml", include_str!("../../rules/apis/torch_distributed_parts.toml")),
    ("torch_functional.toml", include_str!("../../rules/apis/torch_functional.toml")),
    ("torch_futures.toml", include_str!("../../rules/apis/torch_futures.toml")),
    ("torch_parts.toml", include_str!("../../rules/apis/torch_parts.toml")),
    ("torch_rpc.toml", include_str!("../../rules/apis/torch_rpc.toml")),
];
