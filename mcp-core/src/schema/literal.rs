//! Members that always have the same value, such as `type`.

/// Defines a type whose only value is one string: missing and different ones do not decode.
macro_rules! literal {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub(crate) struct $name;

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str($text)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                if text == $text {
                    Ok(Self)
                } else {
                    let found = serde::de::Unexpected::Str(&text);
                    Err(serde::de::Error::invalid_value(found, &$text))
                }
            }
        }
    )+};
}

pub(crate) use literal;

literal! {
    /// A JSON object, in a schema.
    ObjectType = "object";
    /// A string, in a schema.
    StringType = "string";
    /// A JSON array, in a schema.
    ArrayType = "array";
    /// A Boolean, in a schema.
    BooleanType = "boolean";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_literal_itself_decodes() {
        assert!(serde_json::from_str::<ObjectType>("\"object\"").is_ok());
        for text in ["\"Object\"", "null", "1"] {
            assert!(serde_json::from_str::<ObjectType>(text).is_err(), "{text}");
        }
        assert_eq!(serde_json::to_string(&ArrayType).unwrap(), "\"array\"");
    }
}
