//! The prefilter: which files are worth parsing.
use unwaited::catalog::Catalog;
use unwaited::source::Language;

#[test]
fn the_words_are_few_and_specific() {
    let catalog = Catalog::new(Language::Python, &[]).unwrap();
    insta::assert_snapshot!(catalog.words().join(" "), @".Start( .Startall( Iallgather Iallreduce Ialltoall Ibarrier Ibcast Ibsend Iexscan Igather Ineighbor_allgather Ineighbor_alltoall Iread Irecv Ireduce Irsend Iscan Iscatter Isend Issend Iwrite P2POp Raccumulate Rget Rput async_op ecv_init( end_init( ibsend irecv isend issend rpc_async");
}
