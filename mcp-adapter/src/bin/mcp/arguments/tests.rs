//! From `--arg` to JSON.

use serde_json::json;

use super::*;

fn schema() -> JsonObject {
    let schema = json!({
        "type": "object",
        "properties": {
            "label": { "type": "string" },
            "minutes": { "type": "integer" },
            "ratio": { "type": ["number", "null"] },
            "loud": { "type": "boolean" },
            "tags": { "type": "array" },
            "more": { "$ref": "#/$defs/More" },
            "mode": { "anyOf": [{ "$ref": "#/$defs/Mode" }, { "type": "null" }] },
            "any": {},
            "circle": { "$ref": "#/$defs/Circle" },
        },
        "required": ["label"],
        "$defs": {
            "More": { "type": "object" },
            "Mode": { "enum": ["a", "b"] },
            "Circle": { "$ref": "#/$defs/Circle" },
        },
    });
    serde_json::from_value(schema).unwrap()
}

fn read(args: &[&str]) -> Result<String, String> {
    let pairs: Result<Vec<Pair>, _> = args.iter().map(|arg| arg.parse()).collect();
    Ok(Schema(&schema()).read(&pairs?)?.as_str().to_owned())
}

#[track_caller]
fn check(arg: &str, value: &str) {
    let expected = format!(r#"{{"label":"x",{value}}}"#);
    assert_eq!(read(&["label=x", arg]), Ok(expected), "{arg}");
}

#[track_caller]
fn check_error(args: &[&str], error: &str) {
    assert_eq!(read(args), Err(error.into()), "{args:?}");
}

#[test]
fn values_take_the_type_that_the_tool_says() {
    check("minutes=3", r#""minutes":3"#);
    check("ratio=1.5", r#""ratio":1.5"#);
    check("ratio=null", r#""ratio":null"#);
    check("loud=true", r#""loud":true"#);
    check(r#"tags=["a"]"#, r#""tags":["a"]"#);
    check(r#"more={"a": 1}"#, r#""more":{"a":1}"#);
    check("mode=a", r#""mode":"a""#);
    check("any=1", r#""any":1"#);
    check("any=a=b", r#""any":"a=b""#);
    check("circle=x", r#""circle":"x""#);
    check(r#"any:={"a": [1]}"#, r#""any":{"a":[1]}"#);
    assert_eq!(read(&["label=12"]), Ok(r#"{"label":"12"}"#.into()));
    assert_eq!(read(&["label=[1]"]), Ok(r#"{"label":"[1]"}"#.into()));
}

#[test]
fn what_does_not_fit_is_said_before_anything_is_called() {
    check_error(
        &["label=x", "minutes=soon"],
        r#"argument "minutes" must be an integer, not "soon""#,
    );
    check_error(
        &["label=x", "minutes=1.5"],
        r#"argument "minutes" must be an integer, not a number"#,
    );
    check_error(
        &["label:=1"],
        r#"argument "label" must be a string, not an integer"#,
    );
    check_error(&["minutes=3"], r#"argument "label" is missing"#);
    check_error(
        &["label=x", "label=y"],
        r#"argument "label" is given twice"#,
    );
    check_error(
        &["lable=x"],
        r#"the tool has no argument "lable"; did you mean "label"?"#,
    );
    check_error(&["label"], "it must look like NAME=VALUE");
    check_error(&["=x"], "the name is missing");
    let missing = read(&["label=@no/such/file"]).unwrap_err();
    assert!(
        missing.starts_with(r#"argument "label": could not read no/such/file: "#),
        "{missing}"
    );
}

#[test]
fn a_file_gives_its_content() {
    let file = std::env::temp_dir().join(format!("mcp-argument-{}", std::process::id()));
    fs::write(&file, "42").unwrap();
    let read = |name| read(&["label=x", &format!("{name}=@{}", file.display())]);
    assert_eq!(read("minutes"), Ok(r#"{"label":"x","minutes":42}"#.into()));
    fs::remove_file(file).unwrap();
}

#[test]
fn objects_are_checked_as_far_as_the_tool_says() {
    let check = |schema: Value, arguments: Value| {
        let schema: JsonObject = serde_json::from_value(schema).unwrap();
        let arguments: JsonObject = serde_json::from_value(arguments).unwrap();
        Schema(&schema).check(&arguments)
    };
    let open = json!({ "properties": { "a": { "type": "integer" } } });
    assert_eq!(check(open.clone(), json!({ "a": 2.0, "b": 1 })), Ok(()));
    assert!(check(open, json!({ "a": "x" })).is_err());
    let closed = json!({ "properties": {}, "additionalProperties": false });
    assert!(check(closed, json!({ "b": 1 })).is_err());
}

#[test]
fn v17_only_an_object_will_do() {
    assert_eq!(object(r#"{"a": 1}"#).unwrap().as_str(), r#"{"a": 1}"#);
    assert_eq!(
        object("[1]").unwrap_err(),
        "--json must be a JSON object, not an array"
    );
    assert!(object("x").unwrap_err().starts_with("--json is not JSON: "));
}

#[test]
fn arguments_in_a_few_words() {
    assert_eq!(
        Schema(&schema()).summary(),
        "label: string, minutes?: integer, ratio?: number, loud?: boolean, tags?: array, \
         more?: object, mode?: string, any?, circle?"
    );
}
