//! Buffers whose reads and writes the runtime sees.
//!
//! A [`Buffer`] is shared storage: clones and slices of it are views of the same elements. That lets safe Rust break
//! the law of quiet, as raw pointers and tensors do elsewhere, and the runtime tells what comes of it.

use super::turns::Call;
use super::world::Link;
use super::{Element, Handle, Place, fabric::Access};
use std::marker::PhantomData;
use std::ops::Range;
use std::panic::Location;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A type of which buffers can be made.
pub trait Item: Copy + Send + Sync + 'static {
    /// What the fabric calls it.
    const ELEMENT: Element;
    /// How many bytes it has.
    const WIDTH: usize;
    /// Appends its bytes.
    fn put(self, bytes: &mut Vec<u8>);
    /// Reads it from its bytes.
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! items {
    ($($number:ty => $element:ident),*) => {$(
        impl Item for $number {
            const ELEMENT: Element = Element::$element;
            const WIDTH: usize = size_of::<$number>();

            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_ne_bytes());
            }

            fn get(bytes: &[u8]) -> Self {
                bytes.first_chunk().map_or_else(Default::default, |bytes| <$number>::from_ne_bytes(*bytes))
            }
        }
    )*};
}

items!(f32 => F32, f64 => F64, i8 => I8, i16 => I16, i32 => I32, i64 => I64, u8 => U8, u16 => U16, u32 => U32, u64 => U64);

#[derive(Debug, Default)]
struct Storage {
    bytes: Vec<u8>,
    in_flight: Vec<InFlight>,
}

/// An operation that has not been waited for, and the bytes that it uses.
#[derive(Clone, Debug)]
struct InFlight {
    handle: Handle,
    link: Arc<Link>,
    range: Range<usize>,
    /// Whether the operation reads the buffer or writes it.
    does: Access,
}

/// Elements in shared storage. A clone is another view of the same elements.
#[derive(Debug)]
pub struct Buffer<T> {
    storage: Arc<Mutex<Storage>>,
    range: Range<usize>,
    item: PhantomData<T>,
}

impl<T> Clone for Buffer<T> {
    fn clone(&self) -> Buffer<T> {
        Buffer { storage: Arc::clone(&self.storage), range: self.range.clone(), item: PhantomData }
    }
}

impl<T: Item> From<Vec<T>> for Buffer<T> {
    fn from(items: Vec<T>) -> Buffer<T> {
        let mut bytes = Vec::with_capacity(items.len() * T::WIDTH);
        items.into_iter().for_each(|item| item.put(&mut bytes));
        let range = 0..bytes.len();
        let storage = Storage { bytes, in_flight: Vec::new() };
        Buffer { storage: Arc::new(Mutex::new(storage)), range, item: PhantomData }
    }
}

impl<T: Item> Buffer<T> {
    /// How many elements it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.range.len() / T::WIDTH
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.range.is_empty()
    }

    /// A view of some of the elements.
    #[must_use]
    pub fn slice(&self, items: Range<usize>) -> Buffer<T> {
        let end = (self.range.start + items.end * T::WIDTH).min(self.range.end);
        let start = (self.range.start + items.start * T::WIDTH).min(end);
        Buffer { storage: Arc::clone(&self.storage), range: start..end, item: PhantomData }
    }

    /// Reads all elements.
    #[track_caller]
    #[must_use]
    pub fn to_vec(&self) -> Vec<T> {
        self.touch(Access::Read, Place::of(Location::caller()));
        self.bytes().chunks(T::WIDTH).map(T::get).collect()
    }

    /// Reads one element; one past the end is the last.
    #[track_caller]
    #[must_use]
    pub fn get(&self, index: usize) -> T {
        let last = self.len().saturating_sub(1);
        let one = self.slice(index.min(last)..index.min(last) + 1);
        one.touch(Access::Read, Place::of(Location::caller()));
        T::get(&one.bytes())
    }

    /// Writes one element.
    #[track_caller]
    pub fn set(&self, index: usize, item: T) {
        let one = self.slice(index..index + 1);
        one.write_all(&[item], Place::of(Location::caller()));
    }

    /// Writes all elements.
    #[track_caller]
    pub fn fill(&self, item: T) {
        self.write_all(&vec![item; self.len()], Place::of(Location::caller()));
    }

    /// Writes elements from the start on.
    #[track_caller]
    pub fn write(&self, items: &[T]) {
        self.write_all(items, Place::of(Location::caller()));
    }

    fn write_all(&self, items: &[T], place: Place) {
        self.touch(Access::Write, place);
        let mut bytes = Vec::with_capacity(items.len() * T::WIDTH);
        items.iter().for_each(|item| item.put(&mut bytes));
        self.put_bytes(&bytes);
    }

    /// The same storage as bytes.
    pub(super) fn as_bytes(&self) -> Buffer<u8> {
        Buffer { storage: Arc::clone(&self.storage), range: self.range.clone(), item: PhantomData }
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        self.lock().bytes[self.range.clone()].to_vec()
    }

    pub(super) fn put_bytes(&self, bytes: &[u8]) {
        let count = bytes.len().min(self.range.len());
        let start = self.range.start;
        self.lock().bytes[start..start + count].copy_from_slice(&bytes[..count]);
    }

    /// An operation uses the buffer from now on.
    pub(super) fn flies(&self, handle: Handle, link: &Arc<Link>, does: Access) {
        let link = Arc::clone(link);
        self.lock().in_flight.push(InFlight { handle, link, range: self.range.clone(), does });
    }

    /// An operation has been waited for.
    pub(super) fn lands(&self, handle: Handle) {
        self.lock().in_flight.retain(|flight| flight.handle != handle);
    }

    /// Tells the fabric of a touch that the law of quiet forbids.
    fn touch(&self, access: Access, place: Place) {
        let mine = &self.range;
        let meets = |flight: &&InFlight| {
            let overlaps = flight.range.start < mine.end && mine.start < flight.range.end;
            overlaps && (access == Access::Write || flight.does == Access::Write)
        };
        let touched: Vec<InFlight> = self.lock().in_flight.iter().filter(meets).cloned().collect();
        for flight in touched {
            flight.link.call(Call::Touch(flight.handle, access), place.clone(), Vec::new());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Storage> {
        self.storage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
