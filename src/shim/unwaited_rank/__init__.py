"""One rank's side of `unwaited run`.

`wire` talks to the fabric, `places` says where in the user's program a call is made, `clock` makes time virtual,
`work` holds the handles, `cells` the buffers, `dist` is `torch.distributed`, `hooks` puts it in place.
"""
