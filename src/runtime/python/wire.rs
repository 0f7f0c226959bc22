//! Frames between a rank and the host: two lengths, a JSON header, bytes.

use super::super::fabric::{Access, Dropped, Touched, Wait, Which};
use super::super::ledger::Snapshot;
use super::super::turns::{Call, Reply, Submission};
use super::super::{Backend, Fabric, Handle, Place, Posting, Time};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{self, Read, Write};
use std::time::Duration;

/// The largest header that is read; a call of a few thousand operations stays far below.
const MOST: u32 = 64 << 20;

/// The first frame of a connection.
#[derive(Debug, Deserialize)]
pub(super) struct Hello {
    pub(super) token: String,
    pub(super) rank: usize,
    pub(super) lifeline: bool,
}

/// What a rank sends.
#[derive(Debug)]
pub(super) enum Incoming {
    /// A call, with what its operations' buffers hold.
    Call(Submission, Vec<Snapshot>),
    /// Bytes that the host asked for.
    Data(Vec<Vec<u8>>),
}

#[derive(Debug, Deserialize)]
struct Head {
    #[serde(flatten)]
    request: Request,
    place: Place,
    dropped: Vec<Dropped>,
    #[serde(default)]
    snapshots: Vec<[Vec<usize>; 2]>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "call", rename_all = "snake_case")]
enum Request {
    Start { postings: Vec<Posting> },
    Do { postings: Vec<Posting> },
    Wait { handles: Vec<Handle>, which: Which, limit: Option<u64> },
    Poll { handles: Vec<Handle> },
    Touch { handle: Handle, access: Access },
    Compute { nanos: u64 },
    Clock,
    Group { name: String, members: Vec<usize> },
    Backend { backend: Backend },
    Leave,
    Fail { message: String, assertion: bool },
}

impl From<Request> for Call {
    fn from(request: Request) -> Call {
        match request {
            Request::Start { postings } => Call::Start(postings),
            Request::Do { postings } => Call::Do(postings),
            Request::Wait { handles, which, limit } => {
                Call::Wait(Wait { handles, which, limit: limit.map(Duration::from_nanos) })
            }
            Request::Poll { handles } => Call::Poll(handles),
            Request::Touch { handle, access } => Call::Touch(handle, access),
            Request::Compute { nanos } => Call::Compute(Duration::from_nanos(nanos)),
            Request::Clock => Call::Clock,
            Request::Group { name, members } => Call::Group(name, members),
            Request::Backend { backend } => Call::Backend(backend),
            Request::Leave => Call::Leave,
            Request::Fail { message, assertion } => Call::Fail { message, assertion },
        }
    }
}

/// Reads the first frame, which must be small.
pub(super) fn read_hello(stream: &mut impl Read) -> io::Result<Hello> {
    let (head, _) = read_frame(stream, 4096)?;
    Ok(serde_json::from_slice(&head)?)
}

/// Reads what a rank sends.
pub(super) fn read(stream: &mut impl Read) -> io::Result<Incoming> {
    let (head, payload) = read_frame(stream, MOST)?;
    let value: Value = serde_json::from_slice(&head)?;
    if let Some(lengths) = value.get("chunks") {
        let lengths: Vec<usize> = serde_json::from_value(lengths.clone())?;
        return Ok(Incoming::Data(cut(&lengths, &mut payload.as_slice())));
    }
    let head: Head = serde_json::from_value(value)?;
    let mut rest = payload.as_slice();
    let snapshots = head
        .snapshots
        .iter()
        .map(|[gives, holds]| Snapshot { gives: cut(gives, &mut rest), holds: cut(holds, &mut rest) });
    let snapshots = snapshots.collect();
    let submission = Submission { dropped: head.dropped, call: head.request.into(), place: head.place };
    Ok(Incoming::Call(submission, snapshots))
}

fn read_frame(stream: &mut impl Read, most: u32) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut lengths = [0; 8];
    stream.read_exact(&mut lengths)?;
    let [a, b, c, d, e, f, g, h] = lengths;
    let (head, payload) = (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h]));
    if head > most || (most < MOST && payload > 0) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the frame is too large"));
    }
    Ok((read_bytes(stream, head)?, read_bytes(stream, payload)?))
}

fn read_bytes(stream: &mut impl Read, count: u32) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; count as usize];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Cuts the bytes into chunks of these lengths; what is missing is missing.
fn cut(lengths: &[usize], rest: &mut &[u8]) -> Vec<Vec<u8>> {
    let chunks = lengths.iter().map(|length| {
        let (chunk, after) = rest.split_at(rest.len().min(*length));
        *rest = after;
        chunk.to_vec()
    });
    chunks.collect()
}

/// Writes a frame.
pub(super) fn write(stream: &mut impl Write, head: &Value, chunks: &[Vec<u8>]) -> io::Result<()> {
    let head = head.to_string();
    let payload: usize = chunks.iter().map(Vec::len).sum();
    let length = |bytes: usize| u32::try_from(bytes).map_err(|_| io::Error::other("the frame is too large"));
    let mut frame = Vec::with_capacity(8 + head.len() + payload);
    frame.extend(length(head.len())?.to_be_bytes());
    frame.extend(length(payload)?.to_be_bytes());
    frame.extend(head.as_bytes());
    chunks.iter().for_each(|chunk| frame.extend(chunk));
    stream.write_all(&frame)
}

/// The header that asks a rank to fill a buffer.
pub(super) fn fill(handle: Handle, chunks: &[Vec<u8>]) -> Value {
    let lengths: Vec<usize> = chunks.iter().map(Vec::len).collect();
    json!({ "fill": handle, "chunks": lengths })
}

/// The header of a reply.
pub(super) fn reply(reply: &Reply, clock: Time, fabric: &Fabric) -> Value {
    let clock = clock.as_nanos();
    let complete = |word: &str, handles: &[Handle]| {
        let origins: Vec<_> = handles.iter().map(|handle| fabric.origin(*handle)).collect();
        json!({ "reply": word, "handles": handles, "origins": origins, "clock": clock })
    };
    match reply {
        Reply::Started(handles) => complete("started", handles),
        Reply::Complete(handles) => complete("complete", handles),
        Reply::Polled(handles) => complete("polled", handles),
        Reply::TimedOut => json!({ "reply": "timed_out", "clock": clock }),
        Reply::Touched(touched) => json!({ "reply": "touched", "touched": told(*touched), "clock": clock }),
        Reply::Group(group) => json!({ "reply": "group", "group": group, "clock": clock }),
        Reply::Done => json!({ "reply": "done", "clock": clock }),
        Reply::Refused(message) => json!({ "reply": "refused", "message": message, "clock": clock }),
        Reply::Stop => json!({ "reply": "stop", "clock": clock }),
    }
}

fn told(touched: Touched) -> &'static str {
    match touched {
        Touched::Quiet => "quiet",
        Touched::Pending => "pending",
        Touched::Never => "never",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_as_the_shim_writes_it() {
        let head = json!({
            "call": "start", "place": ["x.py", 7], "dropped": [{ "handle": 3, "freed": false, "place": ["x.py", 6] }],
            "postings": [{ "api": "isend", "group": 0, "start": { "send": { "to": 1, "tag": 0 } }, "bytes": 4, "element": "f32" }],
            "snapshots": [[[4], []]],
        });
        let mut frame = Vec::new();
        write(&mut frame, &head, &[vec![1, 2, 3, 4]]).unwrap();
        let Incoming::Call(submission, snapshots) = read(&mut frame.as_slice()).unwrap() else { panic!() };
        assert_eq!(submission.place, Place::new("x.py", 7));
        assert_eq!(submission.dropped[0].place.line, 6);
        assert_eq!(snapshots[0].gives, [[1, 2, 3, 4]]);
        assert!(matches!(&submission.call, Call::Start(postings) if &*postings[0].api == "isend"));
    }

    #[test]
    fn a_first_frame_with_a_payload_is_refused() {
        let mut frame = Vec::new();
        write(&mut frame, &json!({ "token": "", "rank": 0, "lifeline": false }), &[vec![0; 10]]).unwrap();
        assert!(read_hello(&mut frame.as_slice()).is_err());
    }
}
