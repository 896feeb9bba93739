import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectLinear } from '../../test/linear.ts'
import type { JsonValue } from '../go/json-value.ts'
import { readYaml, strictYamlError } from './parse.ts'
import { YamlSyntaxError } from './reader/source.ts'
import { renderYaml } from './write.ts'

/** Returns the JSON text of a document, or the error message. */
function read(text: string): string {
  try {
    return readYaml(text).json
  } catch (error) {
    if (error instanceof YamlSyntaxError) return error.message
    throw error
  }
}

describe('YAML scalars', () => {
  test.each([
    ['[y, Off, TRUE, tRUE]', '[true,false,true,"tRUE"]'],
    ['[~, Null, "", !!null ""]', '[null,null,"",null]'],
    ['[0755, 0o17, 0x1F, 0b101, 1_000, 08, +5, -0]', '[493,15,31,5,1000,8,5,0]'],
    [
      '[9223372036854775807, 18446744073709551615, 18446744073709551616]',
      '[9223372036854775807,18446744073709551615,18446744073709552000]',
    ],
    ['[1.0, .5, 1e3, 1e-7, 1e400, .1_0, ._1]', '[1,0.5,1000,1e-7,"1e400",0.1,"._1"]'],
    ['[1:30, 2001-01-01, =, <<, a:b, -a]', '["1:30","2001-01-01","=","<<","a:b","-a"]'],
    ['[!!str 5, !!int "5", !!float 5, !!bool "yes", ! 5, !own 5, !!timestamp 2001-01-01]', '["5",5,5,true,"5","5","2001-01-01"]'],
    ['!!binary aGk=', '"hi"'],
    ['"a\\tb\\x41\\u263a\\U0001F600\\\n  c"', '"a\\tbA☺😀c"'],
    ['"a\n\n  b  \n c"', '"a\\nb c"'],
    ["'it''s\n\n here'", '"it\'s\\nhere"'],
    ['a\n b\n\n c', '"a b\\nc"'],
    ['|\n  a\n   b\n\n', '"a\\n b\\n"'],
    ['>-\n  a\n  b\n\n  c\n   d\n', '"a b\\nc\\n d"'],
    ['|+\n a\n\n', '"a\\n\\n"'],
    ['|2-\n   a\n', '" a"'],
    ['a\u0085b\u2028', '"a b"'],
  ])('%j is %s', (text, json) => expect(read(text)).toBe(json))

  test.each([
    ['!!null x', 'yaml: cannot decode !!str `x` as a !!null'],
    ['!!int 1.5', 'yaml: cannot decode !!float `1.5` as a !!int'],
    ['!!binary "*"', 'yaml: !!binary value contains invalid base64 data'],
    ['a: .inf', 'json: unsupported value: +Inf'],
    ['"\\q"', 'yaml: found unknown escape character'],
    ['"\\uD800"', 'yaml: found invalid Unicode character escape code'],
    ['a:\n  "b', 'yaml: line 2: found unexpected end of stream'],
    ['|0\n', 'yaml: found an indentation indicator equal to 0'],
    ['a\n\tb: c', 'yaml: line 2: mapping values are not allowed in this context'],
  ])('%j is rejected', (text, message) => expect(read(text)).toBe(message))
})

describe('YAML collections', () => {
  test.each([
    ['', 'null'],
    ['# nothing\n---\n', 'null'],
    ['a: 1\n---\nb: [', '{"a":1}'],
    ['%YAML 1.1\n%TAG !e! tag:yaml.org,2002:\n---\na: !e!str 1', '{"a":"1"}'],
    ['\ufeffb: 1\r\na:\r- x', '{"a":["x"],"b":1}'],
    ['a:\n- b\n-\n- - c\n  - d: e\nf:', '{"a":["b",null,["c",{"d":"e"}]],"f":null}'],
    ['{a: b, c, "d":e, ? f : g, ? h}', '{"a":"b","c":null,"d":"e","f":"g","h":null}'],
    ['[a, b: c, {d: [e]},]', '["a",{"b":"c"},{"d":["e"]}]'],
    ['[]: a', '[]'],
    ['? a\n: b\n? |\n  c\n: d', '{"a":"b","c\\n":"d"}'],
    ['1: a\n1.5: b\nyes: c\n1e6: d\n.inf: e\n"-1": f', '{"1":"a","-1":"f",".inf":"e","1.5":"b","1e+06":"d","true":"c"}'],
    ['a: &x {b: 1}\nc: *x', '{"a":{"b":1},"c":{"b":1}}'],
    ['a: &x {b: 1, c: 2}\nd: {<<: *x, b: 3}', '{"a":{"b":1,"c":2},"d":{"b":3,"c":2}}'],
    ['<<: [{a: 1}, {a: 2, b: 2}]', '{"a":1,"b":2}'],
    ['__proto__: {a: 1}', '{"__proto__":{"a":1}}'],
  ])('%j is %s', (text, json) => expect(read(text)).toBe(json))

  test.each([
    ['a: 1\nb: c: d', 'yaml: line 2: mapping values are not allowed in this context'],
    ['a: b\n c\nd', "yaml: line 4: could not find expected ':'"],
    ['a:\n- b\nc\n', "yaml: line 4: could not find expected ':'"],
    ['a:\n  b\n- c', 'yaml: line 2: did not find expected key'],
    ['\n[a\nb', "yaml: line 3: did not find expected ',' or ']'"],
    ['a: - b', 'yaml: block sequence entries are not allowed in this context'],
    ['a: @b', 'yaml: found character that cannot start any token'],
    ['a:\n  &', 'yaml: line 2: did not find expected alphabetic or numeric character'],
    ['[,]', 'yaml: did not find expected node content'],
    ['%YAML 1.2\n---\na', 'yaml: found incompatible YAML document'],
    ['%FOO\n---\na', 'yaml: found unknown directive name'],
    ['!e!a b', 'yaml: found undefined tag handle'],
    ['a: \u0001', 'yaml: control characters are not allowed'],
    ['a: *b', "yaml: unknown anchor 'b' referenced"],
    ['&a [*a]', "yaml: anchor 'a' value contains itself"],
    ['a: &a {<<: *a}', "yaml: anchor 'a' value contains itself"],
    ['<<: 5', 'yaml: map merge requires map or sequence of maps as the value'],
    ['? [a, {1: ~}]\n: b', 'yaml: invalid map key: []interface {}{"a", map[interface {}]interface {}{1:interface {}(nil)}}'],
    ['~: a', 'unsupported map key of type: %!s(<nil>), key: <nil>, value: "a"'],
    ['9223372036854775808: a', 'unsupported map key of type: uint64, key: 0x8000000000000000, value: "a"'],
  ])('%j is rejected', (text, message) => expect(read(text)).toBe(message))
})

describe('duplicate keys', () => {
  test.each([
    ['a: 1\na: 2', { a: 2 }, ['line 2: key "a" already set in map']],
    [
      'b: {a: 1, "a": 2}\nc:\n- a: 1\n  a:\n    2',
      { b: { a: 2 }, c: [{ a: 2 }] },
      ['line 1: key "a" already set in map', 'line 5: key "a" already set in map'],
    ],
    ['l: &l {x: 1}\nm:\n  <<: *l\n  x: 2', { l: { x: 1 }, m: { x: 2 } }, ['line 4: key "x" already set in map']],
    ['x: 2\n<<: {x: 1}', { x: 1 }, ['line 2: key "x" already set in map']],
    ['1: a\n0x1: b', { 1: 'b' }, ['line 2: key 1 already set in map']],
    ['1.5: a\n1.50: b', { 1.5: 'b' }, ['line 2: key 1.5 already set in map']],
    ['.nan: a\n.nan: b', { '.nan': 'b' }, []],
    ['a: {a: 1}\nb: {a: 1}', { a: { a: 1 }, b: { a: 1 } }, []],
    ['a: .inf\na: 1', { a: 1 }, ['line 2: key "a" already set in map']],
  ])('%j', (text, value, duplicates) => expect(readYaml(text)).toMatchObject({ value, duplicates }))

  test('strict errors have one line per duplicate key', () => {
    expect(strictYamlError(readYaml('a: 1\na: 2\na: 3').duplicates)).toBe(
      'yaml: unmarshal errors:\n  line 2: key "a" already set in map\n  line 3: key "a" already set in map',
    )
  })
})

describe('arbitrary texts', () => {
  const fragments = fc.constantFrom(
    ...[
      'a',
      'b: ',
      '- ',
      '? ',
      ': ',
      '[',
      ']',
      '{',
      '}',
      ',',
      '"',
      "'",
      '|\n',
      '>2\n',
      '\n',
      '\n  ',
      '\t',
      '#',
      '&x ',
      '*x',
      '! ',
    ],
    ...[
      '!!int ',
      '!<',
      '%YAML 1.1\n',
      '%TAG ! !\n',
      '---\n',
      '...\n',
      '<<: ',
      '~',
      '1',
      '.inf',
      '\\',
      '\r',
      '\u0085',
      '\ufeff',
      '\0',
      '😀',
      '\ud800',
    ],
  )
  const documents = fc.oneof(
    fc.array(fragments, { maxLength: 40 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 60 }),
  )

  test('every text is either read as JSON or rejected', () => {
    fc.assert(
      fc.property(documents, (text) => {
        const found = read(text)
        if (!/^(?:yaml: |json: |unsupported map key)/.test(found)) JSON.parse(found)
      }),
      { numRuns: 2000 },
    )
  })

  test('JSON is read as the same JSON', () => {
    const values = fc.jsonValue({ depthSize: 'small' }).filter((value) => !JSON.stringify(value).includes('\\u'))
    fc.assert(
      fc.property(values, (value) => {
        expect(JSON.parse(read(JSON.stringify(value)))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  test('a value that renderYaml wrote is read back', () => {
    const texts = fc.string({ unit: 'binary-ascii', maxLength: 30 })
    const values = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        texts,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(texts, tie('value'), { maxKeys: 4 }),
      ),
    })).value
    fc.assert(
      fc.property(values, (value) => {
        expect(JSON.parse(readYaml(renderYaml(value)).json)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })
})

describe('bounds for hostile YAML', () => {
  test.each([
    ['[', '['.repeat(100_000), 'exceeded max depth of 1000'],
    ['{a: ', '{a: '.repeat(100_000), 'exceeded max depth of 1000'],
    ['- ', '- '.repeat(100_000), 'exceeded max depth of 1000'],
    ['? ', '? '.repeat(100_000), 'exceeded max depth of 1000'],
    [
      'aliases of aliases',
      [
        'a: &a0 [x,x,x,x,x]',
        ...Array.from({ length: 20 }, (_, i) => `b${i}: &a${i + 1} [*a${i},*a${i},*a${i},*a${i},*a${i}]`),
      ].join('\n'),
      'document contains excessive aliasing',
    ],
    [
      'aliases of a long text',
      `a: &a ${'x'.repeat(1_000_000)}\nb: [${'*a,'.repeat(100)}]`,
      'document contains excessive aliasing',
    ],
  ])('%s', (_, text, message) => expect(read(text)).toBe(`yaml: ${message}`))

  test('maximum depth of aliases and collections together', () => {
    const nested = (inner: string): string => `${'['.repeat(900)}${inner}${']'.repeat(900)}`
    expect(read(nested('x'))).toBe(JSON.stringify(JSON.parse(nested('"x"'))))
    const chain = Array.from({ length: 20 }, (_, i) => `a${i + 1}: &a${i + 1} ${nested(`*a${i}`)}`)
    expect(read(['a0: &a0 x', ...chain].join('\n'))).toBe('yaml: exceeded max depth of 1000')
    const merges = chain.map((line) => line.replaceAll('[', '{<<: ').replaceAll(']', '}'))
    expect(read(['a0: &a0 {}', ...merges].join('\n'))).toBe('yaml: exceeded max depth of 1000')
  })

  test.each([
    ['[', ']'],
    ['{a: ', '}'],
    ['[a: ', ']'],
    ['- ', ''],
  ])('%j has the same maximum depth', (open, close) => {
    const depth = open === '[a: ' ? 499 : 998
    expect(read(`${open.repeat(depth)}x${close.repeat(depth)}`)).toMatch(/^[[{]/)
  })

  test.each<[string, (size: number) => string]>([
    ['digits', (size) => '9'.repeat(size)],
    ['underscores', (size) => `1${'_'.repeat(size)}`],
    ['blank lines', (size) => `a${'\n'.repeat(size)}`],
    ['words', (size) => 'a '.repeat(size)],
    ['escapes', (size) => `"${'\\n'.repeat(size)}"`],
    ['open quotes', (size) => `"${' '.repeat(size)}`],
    ['flow entries', (size) => `[${'a,'.repeat(size)}]`],
    ['the same key', (size) => 'a: 1\n'.repeat(size)],
    ['nested flow keys', (size) => `${'[a: '.repeat(size / 200)}${']'.repeat(size / 200)}`],
  ])('a document of many %s is read in linear time', (_, textOf) => {
    expectLinear((size) => {
      const text = textOf(size)
      return () => read(text)
    }, 20_000)
  })
})
