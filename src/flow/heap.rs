//! The objects of a state, shared between the copies of it until one of them changes something.
//!
//! A state is copied at every branch and compared where states meet, and most of its objects are the same in all copies: a
//! copy costs nothing, and what is shared need not be compared.

use std::collections::{BTreeMap, btree_map};
use std::sync::Arc;

use super::value::{Object, ObjectId};

/// The objects of a state by their ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Heap(Arc<BTreeMap<ObjectId, Arc<Object>>>);

impl Heap {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn contains_key(&self, id: &ObjectId) -> bool {
        self.0.contains_key(id)
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &ObjectId> {
        self.0.keys()
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &Object> {
        self.0.values().map(|object| &**object)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&ObjectId, &Object)> {
        self.0.iter().map(|(id, object)| (id, &**object))
    }

    pub(crate) fn get(&self, id: &ObjectId) -> Option<&Object> {
        self.0.get(id).map(|object| &**object)
    }

    /// An object that is going to be changed.
    pub(crate) fn get_mut(&mut self, id: &ObjectId) -> Option<&mut Object> {
        if !self.0.contains_key(id) {
            return None;
        }
        Arc::make_mut(&mut self.0).get_mut(id).map(Arc::make_mut)
    }

    /// Changes the objects for which `concerned` holds.
    pub(crate) fn change(
        &mut self,
        concerned: impl Fn(&Object) -> bool,
        mut change: impl FnMut(&mut Object),
    ) {
        if self.values().any(&concerned) {
            let all = Arc::make_mut(&mut self.0).values_mut();
            all.filter(|object| concerned(object)).for_each(|object| change(Arc::make_mut(object)));
        }
    }

    pub(crate) fn insert(&mut self, id: ObjectId, object: Object) {
        Arc::make_mut(&mut self.0).insert(id, Arc::new(object));
    }

    pub(crate) fn remove(&mut self, id: &ObjectId) -> Option<Object> {
        if !self.0.contains_key(id) {
            return None;
        }
        Arc::make_mut(&mut self.0).remove(id).map(Arc::unwrap_or_clone)
    }

    /// Takes out the objects for which `kept` does not hold.
    pub(crate) fn take_others(&mut self, kept: impl Fn(&ObjectId) -> bool) -> BTreeMap<ObjectId, Object> {
        let gone: Vec<ObjectId> = self.keys().copied().filter(|id| !kept(id)).collect();
        gone.into_iter().filter_map(|id| Some((id, self.remove(&id)?))).collect()
    }

    /// Whether two heaps share all that they hold.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The pairs of objects of which the two are not one; `None` where the other has none of that id.
    pub(crate) fn differing<'h>(
        &'h self,
        other: &'h Self,
    ) -> impl Iterator<Item = (&'h ObjectId, &'h Object, Option<&'h Object>)> {
        self.0.iter().filter_map(|(id, mine)| match other.0.get(id) {
            Some(theirs) if Arc::ptr_eq(mine, theirs) => None,
            theirs => Some((id, &**mine, theirs.map(|object| &**object))),
        })
    }
}

impl Heap {
    /// The ids of objects of which the other has another one.
    pub(crate) fn keys_of_differing(&self, other: &Self) -> Vec<ObjectId> {
        let both = self.differing(other).filter(|(_, mine, theirs)| theirs.is_some_and(|it| it != *mine));
        both.map(|(id, ..)| *id).collect()
    }
}

impl IntoIterator for Heap {
    type Item = (ObjectId, Object);
    type IntoIter = std::iter::Map<
        btree_map::IntoIter<ObjectId, Arc<Object>>,
        fn((ObjectId, Arc<Object>)) -> (ObjectId, Object),
    >;

    fn into_iter(self) -> Self::IntoIter {
        let all = Arc::unwrap_or_clone(self.0).into_iter();
        all.map(|(id, object)| (id, Arc::unwrap_or_clone(object)))
    }
}
