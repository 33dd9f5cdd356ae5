//! Many texts at once on each instruction set, and one, against the `md-5` crate.
use md5::{Digest, Md5};
use rowhash_core::{Platform, many_on, md5};

/// The first bytes say how long the texts are; what follows fills them, over and over.
fn texts(data: &[u8]) -> Vec<Vec<u8>> {
    let Some((&count, rest)) = data.split_first() else {
        return Vec::new();
    };
    let (lengths, fill) = rest.split_at(rest.len().min(2 * usize::from(count)));
    let mut fill = fill.iter().copied().cycle();
    lengths
        .chunks_exact(2)
        .map(|length| {
            let length = usize::from(u16::from_le_bytes([length[0], length[1]])) % 3000;
            (0..length).map(|_| fill.next().unwrap_or(0)).collect()
        })
        .collect()
}

/// Panics when the two differ.
pub fn check(data: &[u8]) {
    let texts = texts(data);
    for text in &texts {
        assert_eq!(
            md5(text).as_bytes().as_slice(),
            Md5::digest(text).as_slice()
        );
    }
    for platform in Platform::available() {
        let mut hashes = Vec::new();
        many_on(platform, texts.iter().map(Vec::as_slice), &mut hashes).expect("memory");
        assert_eq!(hashes.len(), texts.len());
        for (text, hash) in texts.iter().zip(&hashes) {
            assert_eq!(
                hash.as_bytes().as_slice(),
                Md5::digest(text).as_slice(),
                "{platform:?}"
            );
        }
    }
}
