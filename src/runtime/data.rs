//! What collectives do with bytes.
//!
//! Every member gives a list of *chunks* and gets a list of chunks back, or nothing:
//!
//! ```text
//! all_reduce(sum)    gives [[1 2]] and [[3 4]]              gets [[4 6]] and [[4 6]]
//! all_gather         gives [[1]]   and [[2]]                gets [[1] [2]] and [[1] [2]]
//! scatter(root 0)    gives [[1] [2]] and nothing            gets [[1]] and [[2]]
//! all_to_all         gives [[1] [2]] and [[3] [4]]          gets [[1] [3]] and [[2] [4]]
//! ```

use super::verdict::Difference;
use super::{Collective, Element, Reduction};

/// The bytes of one tensor.
pub(super) type Chunk = Vec<u8>;

/// What each member of the group gets, in the order of the members.
///
/// # Errors
/// Members that bring too few or differently sized chunks, and elements that cannot be reduced.
pub(super) fn combine(
    kind: Collective,
    members: &[usize],
    element: Element,
    given: &[Vec<Chunk>],
) -> Result<Vec<Option<Vec<Chunk>>>, String> {
    let seat = |rank: usize| members.iter().position(|member| *member == rank).ok_or("the root is no member");
    let chunk = |from: usize, index: usize| {
        let chunks = given.get(from).ok_or("a part is missing")?;
        chunks.get(index).cloned().ok_or_else(|| {
            format!(
                "rank {} brings {} tensors to {}, {} are needed",
                members[from],
                chunks.len(),
                kind.name(),
                members.len()
            )
        })
    };
    let seats = 0..members.len();
    let only = |root: usize, chunks: Vec<Chunk>| {
        seats.clone().map(|to| (to == root).then(|| chunks.clone())).collect()
    };
    let column = |index: usize| seats.clone().map(|from| chunk(from, index)).collect::<Result<Vec<_>, _>>();
    match kind {
        Collective::Barrier => Ok(vec![None; members.len()]),
        Collective::Broadcast { root } => {
            let root = seat(root)?;
            let chunks = given[root].clone();
            Ok(seats.map(|to| (to != root).then(|| chunks.clone())).collect())
        }
        Collective::Reduce { root, by } => Ok(only(seat(root)?, vec![reduce(by, element, column(0)?)?])),
        Collective::AllReduce { by } => Ok(vec![Some(vec![reduce(by, element, column(0)?)?]); members.len()]),
        Collective::Gather { root } => Ok(only(seat(root)?, column(0)?)),
        Collective::AllGather => Ok(vec![Some(column(0)?); members.len()]),
        Collective::Scatter { root } => {
            let root = seat(root)?;
            seats.map(|to| Ok(Some(vec![chunk(root, to)?]))).collect()
        }
        Collective::ReduceScatter { by } => {
            seats.clone().map(|to| Ok(Some(vec![reduce(by, element, column(to)?)?]))).collect()
        }
        Collective::AllToAll => seats.clone().map(|to| Ok(Some(column(to)?))).collect(),
    }
}

fn reduce(by: Reduction, element: Element, parts: Vec<Chunk>) -> Result<Chunk, String> {
    let count = parts.len();
    let mut parts = parts.into_iter();
    let mut sum = parts.next().unwrap_or_default();
    for part in parts {
        if part.len() != sum.len() {
            return Err(format!("tensors of {} and {} bytes cannot be reduced", sum.len(), part.len()));
        }
        fold(by, element, &mut sum, &part)?;
    }
    if by == Reduction::Average {
        average(element, &mut sum, count)?;
    }
    Ok(sum)
}

fn fold(by: Reduction, element: Element, sum: &mut [u8], part: &[u8]) -> Result<(), String> {
    macro_rules! whole {
        ($number:ty) => {
            each(sum, part, <$number>::from_ne_bytes, <$number>::to_ne_bytes, |a, b| match by {
                Reduction::Sum | Reduction::Average => a.wrapping_add(b),
                Reduction::Product => a.wrapping_mul(b),
                Reduction::Min => a.min(b),
                Reduction::Max => a.max(b),
                Reduction::And => a & b,
                Reduction::Or => a | b,
                Reduction::Xor => a ^ b,
            })
        };
    }
    macro_rules! real {
        ($number:ty) => {
            each(sum, part, <$number>::from_ne_bytes, <$number>::to_ne_bytes, |a, b| match by {
                Reduction::Product => a * b,
                Reduction::Min => a.min(b),
                Reduction::Max => a.max(b),
                _ => a + b,
            })
        };
    }
    let bitwise = matches!(by, Reduction::And | Reduction::Or | Reduction::Xor);
    match element {
        Element::F32 | Element::F64 if bitwise => return Err("bits of floats cannot be reduced".into()),
        Element::F32 => real!(f32),
        Element::F64 => real!(f64),
        Element::I8 => whole!(i8),
        Element::I16 => whole!(i16),
        Element::I32 => whole!(i32),
        Element::I64 => whole!(i64),
        Element::U8 => whole!(u8),
        Element::U16 => whole!(u16),
        Element::U32 => whole!(u32),
        Element::U64 => whole!(u64),
        Element::Bool => each(
            sum,
            part,
            |[b]: [u8; 1]| b,
            |b| [b],
            |a, b| match by {
                Reduction::Product | Reduction::Min | Reduction::And => a & b,
                Reduction::Xor => a ^ b,
                _ => a | b,
            },
        ),
        Element::Bytes => return Err("elements of this type cannot be reduced here".into()),
    }
    Ok(())
}

fn each<const N: usize, T>(
    sum: &mut [u8],
    part: &[u8],
    read: fn([u8; N]) -> T,
    write: fn(T) -> [u8; N],
    by: impl Fn(T, T) -> T,
) {
    let (sums, _) = sum.as_chunks_mut::<N>();
    let (parts, _) = part.as_chunks::<N>();
    for (sum, part) in sums.iter_mut().zip(parts) {
        *sum = write(by(read(*sum), read(*part)));
    }
}

#[allow(clippy::cast_precision_loss, reason = "a number of ranks is small")]
fn average(element: Element, sum: &mut [u8], count: usize) -> Result<(), String> {
    let same = sum.to_vec();
    match element {
        Element::F32 => each(sum, &same, f32::from_ne_bytes, f32::to_ne_bytes, |a, _| a / count as f32),
        Element::F64 => each(sum, &same, f64::from_ne_bytes, f64::to_ne_bytes, |a, _| a / count as f64),
        _ => return Err("only floats can be averaged".into()),
    }
    Ok(())
}

/// The first element in which the bytes differ.
pub(super) fn difference(element: Element, expected: &[u8], got: &[u8]) -> Option<Difference> {
    let width = width(element);
    if expected == got {
        return None;
    }
    let mut elements = expected.chunks(width).zip(got.chunks(width)).enumerate();
    elements.find(|(_, (expected, got))| expected != got).map(|(index, (expected, got))| Difference {
        index,
        expected: tell(element, expected),
        got: tell(element, got),
    })
}

/// The first element that differs from what it was at the start, and from what overwrites it.
pub(super) fn overwritten(element: Element, start: &[u8], written: &[u8], by: &[u8]) -> Option<Difference> {
    let width = width(element);
    if start == written {
        return None;
    }
    let mut elements = start.chunks(width).zip(written.chunks(width)).zip(by.chunks(width)).enumerate();
    elements.find(|(_, ((start, written), by))| start != written && written != by).map(
        |(index, ((_, written), by))| Difference {
            index,
            expected: tell(element, written),
            got: tell(element, by),
        },
    )
}

fn width(element: Element) -> usize {
    match element {
        Element::I8 | Element::U8 | Element::Bool | Element::Bytes => 1,
        Element::I16 | Element::U16 => 2,
        Element::F32 | Element::I32 | Element::U32 => 4,
        Element::F64 | Element::I64 | Element::U64 => 8,
    }
}

fn tell(element: Element, bytes: &[u8]) -> String {
    macro_rules! number {
        ($number:ty) => {
            match bytes.first_chunk() {
                Some(bytes) => format!("{:?}", <$number>::from_ne_bytes(*bytes)),
                None => format!("{bytes:?}"),
            }
        };
    }
    match element {
        Element::F32 => number!(f32),
        Element::F64 => number!(f64),
        Element::I8 => number!(i8),
        Element::I16 => number!(i16),
        Element::I32 => number!(i32),
        Element::I64 => number!(i64),
        Element::U16 => number!(u16),
        Element::U32 => number!(u32),
        Element::U64 => number!(u64),
        Element::U8 | Element::Bool | Element::Bytes => number!(u8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(parts: [&[&[u8]]; 2]) -> Vec<Vec<Chunk>> {
        parts.map(|chunks| chunks.iter().map(|chunk| chunk.to_vec()).collect()).into()
    }

    #[test]
    fn the_examples_of_the_module() {
        let run = |kind, parts| combine(kind, &[0, 1], Element::U8, &given(parts)).unwrap();
        let sum = Reduction::Sum;
        assert_eq!(
            run(Collective::AllReduce { by: sum }, [&[&[1, 2]], &[&[3, 4]]]),
            vec![Some(vec![vec![4, 6]]); 2]
        );
        assert_eq!(run(Collective::AllGather, [&[&[1]], &[&[2]]]), vec![Some(vec![vec![1], vec![2]]); 2]);
        let scattered = run(Collective::Scatter { root: 0 }, [&[&[1], &[2]], &[]]);
        assert_eq!(scattered, [Some(vec![vec![1]]), Some(vec![vec![2]])]);
        let swapped = run(Collective::AllToAll, [&[&[1], &[2]], &[&[3], &[4]]]);
        assert_eq!(swapped, [Some(vec![vec![1], vec![3]]), Some(vec![vec![2], vec![4]])]);
    }

    #[test]
    fn a_member_that_brings_too_few_tensors_is_named() {
        let refused = combine(Collective::AllToAll, &[0, 1], Element::U8, &given([&[&[1], &[2]], &[&[3]]]));
        assert_eq!(refused, Err("rank 1 brings 1 tensors to all_to_all, 2 are needed".into()));
    }

    #[test]
    fn the_first_element_that_differs_is_told_as_a_number() {
        let bytes = |numbers: [f32; 3]| numbers.map(f32::to_ne_bytes).concat();
        let found = difference(Element::F32, &bytes([1.0, 2.0, 3.0]), &bytes([1.0, 0.5, 0.0])).unwrap();
        assert_eq!((found.index, &*found.expected, &*found.got), (1, "2.0", "0.5"));
    }
}
