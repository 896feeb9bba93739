import { expect, test } from 'vitest'
import { compile } from './compile.ts'
import { KUBERNETES } from './kubernetes-environment.ts'
import { CelError, type Value } from './value.ts'

/** Returns the value of an expression, or its error message. */
function evaluated(text: string): Value {
  const compiled = compile(text, KUBERNETES)
  if (compiled.kind === 'issues') return compiled.text
  const program = compiled.expression.plan()
  const value = program instanceof CelError ? program : program.evaluate({}, 1_000_000).value
  return value instanceof CelError ? value.message : value
}

test.each([
  'type(timestamp("2020-01-01T00:00:00Z")) == google.protobuf.Timestamp',
  'type(duration("1s")) == google.protobuf.Duration',
  'google.protobuf.Timestamp{seconds: 1, nanos: -1000000000} == timestamp("1970-01-01T00:00:00Z")',
  'google.protobuf.Duration{seconds: 99999999999999} == google.protobuf.Duration{seconds: 9223372037}',
  'google.protobuf.Int32Value{value: 1} + 1 == 2 && google.protobuf.Int32Value{} != null',
  'google.protobuf.StringValue{value: "a"}.startsWith("a")',
  'google.protobuf.FloatValue{value: 0.1} != 0.1',
  'type(google.protobuf.Struct{fields: {"a": 1}}.a) == double',
  'google.protobuf.ListValue{values: dyn([dyn(b"a"), dyn(9007199254740993), dyn(duration("1s"))])} == ["YQ==", "9007199254740993", "1s"]',
  'google.protobuf.Value{} == null && google.protobuf.Value{bool_value: true, string_value: "a"} == "a"',
  'google.protobuf.NullValue.NULL_VALUE == 0',
  '[google.protobuf.Int32Value{value: 1}, 2] == [1, 2]',
  'dyn(google.protobuf.Empty{}) == google.protobuf.Empty{}',
  'google.protobuf.Duration{?seconds: optional.none()} == duration("0s")',
])('%s', (expression) => {
  expect(evaluated(expression)).toBe(true)
})

test.each([
  ['google.protobuf.Int32Value == int', 'reference to undefined type: google.protobuf.Int32Value'],
  ['google.protobuf.Int32Value{value: 1}.value', "type 'wrapper(int)' does not support field selection"],
  ['google.protobuf.Timestamp{foo: 1}', "undefined field 'foo'"],
  ['google.protobuf.Timestamp{seconds: "x"}', "expected type of field 'seconds' is 'int' but provided type is 'string'"],
  [
    'google.protobuf.Int32Value{value: 2147483648}',
    'field type conversion error for google.protobuf.Int32Value.value value type: integer overflow',
  ],
  [
    'google.protobuf.StringValue{value: dyn(1)}',
    "field type conversion error for google.protobuf.StringValue.value value type: unsupported type conversion from 'int' to string",
  ],
  ['google.protobuf.Any{type_url: "x"}', 'unsupported conversion to ref.Val: (*dynamicpb.Message)type_url:"x"'],
  ['google.protobuf.FieldMask{}', "undeclared reference to 'google.protobuf.FieldMask'"],
  ['timestamp{seconds: 1}', "unknown type 'timestamp'"],
])('%s: %s', (expression, message) => {
  expect(evaluated(expression)).toContain(message)
})
