/// How large and how deep a frame may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The longest text, in bytes.
    pub bytes: usize,
    /// The deepest nesting of arrays and objects, the frame itself included.
    pub depth: usize,
}

/// A frame that is larger or deeper than its receiver takes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LimitError {
    /// The text is too long.
    #[error("frame of {bytes} bytes exceeds the limit of {limit}")]
    TooLarge {
        /// The length of the text.
        bytes: usize,
        /// The longest text that is taken.
        limit: usize,
    },
    /// The text is nested too deeply.
    #[error("frame is nested {depth} levels deep, the limit is {limit}")]
    TooDeep {
        /// The depth, the frame itself included.
        depth: usize,
        /// The deepest nesting that is taken.
        limit: usize,
    },
}

impl Limits {
    /// What a gateway takes as it is shipped: more bytes end the connection, more levels leave
    /// the request unanswered.
    pub const TO_GATEWAY: Self = Self {
        bytes: 524_288,
        depth: 100,
    };

    /// What a provider takes. A gateway bounds the requests of its clients to 4 MiB, but may
    /// escape every character; depth does no harm because parameters stay text.
    pub const TO_PROVIDER: Self = Self {
        bytes: 16 * 1024 * 1024,
        depth: usize::MAX,
    };

    /// Another longest text.
    #[must_use]
    pub fn with_bytes(self, bytes: usize) -> Self {
        Self { bytes, ..self }
    }

    /// Another deepest nesting.
    #[must_use]
    pub fn with_depth(self, depth: usize) -> Self {
        Self { depth, ..self }
    }

    pub(super) fn check(&self, text: &str) -> Result<(), LimitError> {
        let (bytes, limit) = (text.len(), self.bytes);
        if bytes > limit {
            return Err(LimitError::TooLarge { bytes, limit });
        }
        let limit = self.depth;
        // A level takes at least two bytes, so a short text need not be looked at.
        if bytes / 2 > limit {
            let depth = depth(text);
            if depth > limit {
                return Err(LimitError::TooDeep { depth, limit });
            }
        }
        Ok(())
    }
}

/// The deepest nesting of a JSON text; some number for any other text.
fn depth(text: &str) -> usize {
    let (mut open, mut deepest) = (0_usize, 0);
    let (mut quoted, mut escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'[' | b'{' => {
                open += 1;
                deepest = deepest.max(open);
            }
            b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_strings_are_no_levels() {
        for (text, expected) in [
            ("1", 0),
            ("{}", 1),
            (r#"{"a":[[],{"b":[]}]}"#, 4),
            (r#"{"[[[":"\"[[\\","b":[]}"#, 2),
            ("]]]]", 0),
        ] {
            assert_eq!(depth(text), expected, "{text}");
        }
    }

    #[test]
    fn the_limit_itself_is_taken() {
        let nested = |levels| "[".repeat(levels) + &"]".repeat(levels);
        let limits = Limits::TO_GATEWAY;
        assert_eq!(limits.check(&nested(100)), Ok(()));
        let (depth, limit) = (101, 100);
        assert_eq!(
            limits.check(&nested(101)),
            Err(LimitError::TooDeep { depth, limit })
        );

        assert_eq!(limits.check(&"1".repeat(524_288)), Ok(()));
        let (bytes, limit) = (524_289, 524_288);
        let too_large = Err(LimitError::TooLarge { bytes, limit });
        assert_eq!(limits.check(&"1".repeat(524_289)), too_large);
    }
}
