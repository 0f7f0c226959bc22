//! The files of the catalogue, all of them.

/// The name and the text of each file in `rules/apis`.
pub const FILES: &[(&str, &str)] = &[
    ("bluefog.toml", include_str!("../../rules/apis/bluefog.toml")),
    ("byteps.toml", include_str!("../../rules/apis/byteps.toml")),
    ("computations.toml", include_str!("../../rules/apis/computations.toml")),
    ("deepspeed.toml", include_str!("../../rules/apis/deepspeed.toml")),
    ("deepspeed_swap.toml", include_str!("../../rules/apis/deepspeed_swap.toml")),
    ("devices.toml", include_str!("../../rules/apis/devices.toml")),
    ("horovod.toml", include_str!("../../rules/apis/horovod.toml")),
    ("mpi4py.toml", include_str!("../../rules/apis/mpi4py.toml")),
    ("mpi4py_pkl5.toml", include_str!("../../rules/apis/mpi4py_pkl5.toml")),
    ("numpy.toml", include_str!("../../rules/apis/numpy.toml")),
    ("paddle.toml", include_str!("../../rules/apis/paddle.toml")),
    ("paddle_stream.toml", include_str!("../../rules/apis/paddle_stream.toml")),
    ("python.toml", include_str!("../../rules/apis/python.toml")),
    ("python_testing.toml", include_str!("../../rules/apis/python_testing.toml")),
    ("torch_distributed.toml", include_str!("../../rules/apis/torch_distributed.toml")),
    ("torch_dtensor.toml", include_str!("../../rules/apis/torch_dtensor.toml")),
    ("torch_fsdp.toml", include_str!("../../rules/apis/torch_fsdp.toml")),
    ("torch_functional.toml", include_str!("../../rules/apis/torch_functional.toml")),
    ("torch_futures.toml", include_str!("../../rules/apis/torch_futures.toml")),
    ("torch_rpc.toml", include_str!("../../rules/apis/torch_rpc.toml")),
    ("torch_tensor.toml", include_str!("../../rules/apis/torch_tensor.toml")),
    ("torch_window.toml", include_str!("../../rules/apis/torch_window.toml")),
];
