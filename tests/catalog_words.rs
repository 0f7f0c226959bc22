//! The prefilter: which files are worth parsing.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use unwaited::catalog::{Catalog, Does};
use unwaited::source::Language;

fn catalog() -> Catalog {
    Catalog::new(Language::Python, &[]).unwrap()
}

fn passes(text: &str) -> bool {
    catalog().may_communicate(text.as_bytes())
}

#[test]
fn the_words_are_few_and_specific() {
    insta::assert_snapshot!(catalog().words().join(" "), @".Start( .Startall( Iallgather Iallreduce Ialltoall Ibarrier Ibcast Ibsend Iexscan Igather Ineighbor_ Iread Irecv Ireduce Irsend Iscan Iscatter Isend Issend Iwrite P2POp Raccumulate Recv_init( Rget Rput Send_init( _nonblocking allgather_async allreduce_async alltoall_async broadcast_async byteps_push_pull ibsend irecv isend issend push_pull_async recv_init( reducescatter_async rpc_async send_init( sync_op");
}

#[test]
fn every_call_that_can_start_something_lets_its_file_pass() {
    let catalog = catalog();
    for api in catalog.apis() {
        let function = catalog.function(api);
        let begins = matches!(
            function.does,
            Does::Start | Does::Launch | Does::Build | Does::Prepare | Does::Coalesce
        );
        if !begins || function.words.is_some() {
            continue;
        }
        let name = catalog.short_name(api);
        let texts = match &function.when {
            None => vec![format!("x = {name}(a, b)\n")],
            Some(when) => {
                let position = function.position(&when.argument).unwrap();
                let flag = if when.is { "True" } else { "False" };
                vec![
                    format!("x = {name}(a, {}={flag})\n", when.argument),
                    format!("x = {name}({}{flag})\n", "a, ".repeat(position)),
                ]
            }
        };
        for text in texts {
            assert!(catalog.may_communicate(text.as_bytes()), "{text}");
        }
    }
}

#[test]
fn a_flag_passed_by_position() {
    assert!(passes("work = dist.all_reduce(x, dist.ReduceOp.SUM, group, True)"));
    assert!(passes("work = dist.barrier(\n    group,  # all of us\n    True,\n)"));
    assert!(!passes("dist.all_reduce(x, dist.ReduceOp.SUM, group)"));
    assert!(!passes("dist.all_reduce(x, dist.ReduceOp.SUM, group=group)"));
    assert!(!passes("functools.reduce(operator.add, xs, 0)"));
}

#[test]
fn a_function_that_only_has_the_name() {
    assert!(!passes("def all_reduce(self, x, op, group, flag):\n    pass"));
    assert!(!passes("module.fused_all_reduce(x, op, group, flag)"));
    assert!(!passes("asyncio.gather(*jobs)"));
}

#[test]
fn a_file_without_communication() {
    assert!(!passes(""));
    assert!(!passes("import torch\nfor handle in handles:\n    handle.wait()\n"));
    assert!(!passes("comm.Send(x, dest=1)\ncomm.Recv(x, source=0)\n"));
}

#[test]
fn bytes_that_are_no_text() {
    let catalog = catalog();
    assert!(!catalog.may_communicate(&[0xff, 0xfe, 0x00, b'(', 0x80]));
    assert!(catalog.may_communicate(b"\xff\xfe req = comm.Isend(x)"));
}
