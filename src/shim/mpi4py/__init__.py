"""mpi4py over the fabric: `from mpi4py import MPI`."""

__version__ = "4.1+unwaited"


class rc:
    """Settings that mpi4py reads before MPI starts; here they change nothing."""

    initialize = finalize = True
    threads = True
