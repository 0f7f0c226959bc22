//! Builds functions block by block.
/// A function under construction.
pub struct FunctionBuilder;
