//! Fewer blocks for the same program, so that the analysis has fewer to visit.
//!
//! - A jump to a block that does nothing but jump goes on directly (heads of loops excepted).
//! - A block with one way in, from a block with one way out in the same loop, becomes the end of that block.
//! - Blocks that nothing leads to and that do nothing go. Code that cannot be reached stays.

use std::collections::BTreeSet;

use super::{BlockId, Function, Terminator};

impl Function {
    /// Joins and drops blocks; what happens along each path stays the same.
    pub(crate) fn simplify(&mut self) {
        self.thread_jumps();
        self.join_blocks();
        self.drop_blocks();
    }

    fn heads(&self) -> BTreeSet<BlockId> {
        self.loops.iter().map(|it| it.head).collect()
    }

    fn thread_jumps(&mut self) {
        let heads = self.heads();
        let mut goes_to: Vec<BlockId> = (0..self.blocks.len() as u32).map(BlockId).collect();
        // A block mostly jumps to a later one, which is settled first; chains in the other order are followed below.
        for (index, block) in self.blocks.iter().enumerate().rev() {
            if let Terminator::Goto(to) = block.end
                && block.ops.is_empty()
                && !heads.contains(&BlockId(index as u32))
            {
                let further = goes_to.get(to.0 as usize).copied().unwrap_or(to);
                if let Some(place) = goes_to.get_mut(index) {
                    *place = further;
                }
            }
        }
        for block in &mut self.blocks {
            block.end.retarget(|to| {
                let mut at = to;
                for _ in 0..8 {
                    let next = goes_to.get(at.0 as usize).copied().unwrap_or(at);
                    if next == at {
                        break;
                    }
                    at = next;
                }
                at
            });
        }
    }

    fn join_blocks(&mut self) {
        let heads = self.heads();
        let mut home = vec![None; self.blocks.len()];
        for (index, inside) in self.loops.iter().enumerate() {
            for block in &inside.blocks {
                if let Some(home) = home.get_mut(block.0 as usize) {
                    *home = Some(index);
                }
            }
        }
        let mut ways_in = vec![0u32; self.blocks.len()];
        for to in self.reached().into_iter().flat_map(|from| self.blocks[from].end.targets()) {
            ways_in[to.0 as usize] += 1;
        }
        for from in 0..self.blocks.len() {
            while let Terminator::Goto(to) = self.blocks[from].end {
                let next = to.0 as usize;
                let joins = ways_in[next] == 1 && next != from && next != 0 && home[next] == home[from];
                if !joins || heads.contains(&to) || (ways_in[from] == 0 && from != 0) {
                    break;
                }
                let ops = std::mem::take(&mut self.blocks[next].ops);
                let end = std::mem::replace(&mut self.blocks[next].end, Terminator::Raise);
                ways_in[next] = 0;
                self.blocks[from].ops.extend(ops);
                self.blocks[from].end = end;
            }
        }
    }

    /// The blocks that a path leads to, by index.
    fn reached(&self) -> Vec<usize> {
        let mut seen = vec![false; self.blocks.len()];
        let mut order = Vec::new();
        let mut pending = vec![0];
        while let Some(index) = pending.pop() {
            if std::mem::replace(&mut seen[index], true) {
                continue;
            }
            order.push(index);
            pending.extend(self.blocks[index].end.targets().iter().map(|it| it.0 as usize));
        }
        order
    }

    /// Drops empty blocks without a way in, and numbers the others anew.
    fn drop_blocks(&mut self) {
        let mut used = vec![false; self.blocks.len()];
        let mut pending: Vec<usize> = vec![0];
        pending.extend(
            self.blocks.iter().enumerate().filter(|(_, it)| !it.ops.is_empty()).map(|(index, _)| index),
        );
        while let Some(index) = pending.pop() {
            if !std::mem::replace(&mut used[index], true) {
                pending.extend(self.blocks[index].end.targets().iter().map(|it| it.0 as usize));
            }
        }
        let mut next = 0;
        let numbers: Vec<BlockId> = used
            .iter()
            .map(|used| {
                next += u32::from(*used);
                BlockId(next.saturating_sub(1))
            })
            .collect();
        let mut kept = used.iter();
        self.blocks.retain(|_| kept.next().copied().unwrap_or(true));
        self.blocks.iter_mut().for_each(|it| it.end.retarget(|to| numbers[to.0 as usize]));
        self.loops.retain(|it| used[it.head.0 as usize]);
        for inside in &mut self.loops {
            inside.head = numbers[inside.head.0 as usize];
            let blocks = inside.blocks.iter().filter(|it| used[it.0 as usize]);
            inside.blocks = blocks.map(|it| numbers[it.0 as usize]).collect();
        }
    }
}

impl Terminator {
    fn retarget(&mut self, new: impl Fn(BlockId) -> BlockId) {
        match self {
            Terminator::Goto(to) => *to = new(*to),
            Terminator::Branch { yes, no, .. } => (*yes, *no) = (new(*yes), new(*no)),
            Terminator::Next { body, done, .. } => (*body, *done) = (new(*body), new(*done)),
            Terminator::Choose(to) => to.iter_mut().for_each(|it| *it = new(*it)),
            Terminator::Return { .. } | Terminator::Raise => {}
        }
    }
}
