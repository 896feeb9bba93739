import { expect, test } from 'vitest'
import { COST_LIMIT_EXCEEDED } from './activation.ts'
import { compile, type Program } from './compile.ts'
import { KUBERNETES } from './kubernetes-environment.ts'
import { AuthorizerValue } from './libraries/authorizer.ts'
import { JSON_PATCH } from './libraries/json-patch.ts'
import type { StructuralSchema } from './schema.ts'
import { declaredType, objectsWithin } from './schema-types.ts'
import { schemaReader } from './schema-values.ts'
import { BOOL, objectType } from './types.ts'
import { CelError, type Value } from './value.ts'

function planned(text: string, environment = KUBERNETES): Program {
  const compiled = compile(text, environment)
  if (compiled.kind === 'issues') throw new Error(compiled.text)
  const program = compiled.expression.plan()
  if (program instanceof CelError) throw new Error(program.message)
  return program
}

const evaluated = (text: string, limit = 1_000_000): Value => planned(text).evaluate({}, limit).value

const schema: StructuralSchema = {
  type: 'object',
  properties: {
    replicas: { type: 'integer' },
    constructor: { type: 'string' },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
  },
}
const declared = declaredType(schema, 'self', 'part') ?? { type: BOOL, minSize: 0, maxElements: 0 }
const environment = KUBERNETES.extend({
  variables: { self: declared.type, oldSelf: declared.type, authorizer: objectType('kubernetes.authorization.Authorizer') },
  objects: objectsWithin(declared),
})
const read = schemaReader(schema, 'part')

test('a compiled expression has its type and knows the variables that it uses', () => {
  const compiled = compile('self.replicas == 1 || self.set.all(oldSelf, true)', environment)
  if (compiled.kind === 'issues') throw new Error(compiled.text)
  expect(compiled.expression.type).toBe(BOOL)
  expect(compiled.expression.refersTo('self')).toBe(true)
  expect(compiled.expression.refersTo('authorizer')).toBe(false)
})

test('compilation errors show line, column and a marker', () => {
  expect(compile('self.replicas + nope', environment)).toEqual({
    kind: 'issues',
    text: "ERROR: <input>:1:17: undeclared reference to 'nope' (in container '')\n | self.replicas + nope\n | ................^",
  })
})

test('has(self.constructor) is false unless the property is set', () => {
  const program = planned('has(self.constructor)', environment)
  expect(program.evaluate({ self: read({}) }, 100).value).toBe(false)
  expect(program.evaluate({ self: read({ constructor: 'c' }) }, 100).value).toBe(true)
})

test('lists of type set are equal in any order', () => {
  const program = planned('self.set == oldSelf.set', environment)
  const [self, oldSelf] = [read({ set: ['a', 'b'] }), read({ set: ['b', 'a'] })]
  expect(program.evaluate({ self, oldSelf }, 100).value).toBe(true)
})

test('authorizer checks call the given authorizer', () => {
  const text =
    "authorizer.serviceAccount('ns', 'sa').group('apps').resource('deployments').namespace('ns').check('create').allowed()"
  const checks: unknown[] = []
  const authorizer = new AuthorizerValue((subject, check) => {
    checks.push(subject, check)
    return { allowed: true, reason: '', error: '' }
  })
  const { value, cost } = planned(text, environment).evaluate({ authorizer }, 1_000_000)
  expect(value).toBe(true)
  expect(cost).toBeGreaterThan(350_000)
  expect(checks).toEqual([
    { kind: 'serviceAccount', namespace: 'ns', name: 'sa' },
    expect.objectContaining({ kind: 'resource', group: 'apps', resource: 'deployments', namespace: 'ns', verb: 'create' }),
  ])
})

test('jsonpatch.escapeKey escapes ~ and / if the library is added', () => {
  const program = planned("jsonpatch.escapeKey('a/b~c')", KUBERNETES.with([JSON_PATCH]))
  expect(program.evaluate({}, 100).value).toBe('a~1b~0c')
})

const ten = '[0,1,2,3,4,5,6,7,8,9]'
const shared = `[1,2]${'.map(x, [x, x])'.repeat(40)}`

test.each([
  ['nested comprehensions', `${ten}.all(a, ${ten}.all(b, ${ten}.all(c, ${ten}.all(d, ${ten}.all(e, ${ten}.all(f, true))))))`],
  ['long ranges', 'lists.range(100000000).size() > 0'],
  ['comparison of values with shared parts', `${shared} == ${shared}`],
  ['printing of values with shared parts', `'%s'.format([${shared}])`],
  ['flattening of values with shared parts', `${shared}.flatten(40)`],
  ['text growing by replace', `'${'a'.repeat(9000)}'.replace('a', '${'b'.repeat(9000)}').size()`],
  ['distinct over many elements', 'lists.range(90000).distinct().size()'],
])('an evaluation beyond the cost limit stops: %s', (_name, text) => {
  expect(evaluated(text)).toBe(COST_LIMIT_EXCEEDED)
})

test.each([
  ['parentheses', `${'('.repeat(9000)}1${')'.repeat(9000)}`, 'expression recursion limit exceeded: 250'],
  ['selections', `a${'.b'.repeat(9000)}`, 'max recursion depth exceeded'],
  ['doubling chains of optMap', `optional.of(1)${'.optMap(x, x)'.repeat(60)}`, 'expression is too large'],
  ['characters', ' '.repeat(100_001), 'expression code point size exceeds limit: size: 100001, limit 100000'],
])('an expression that is too large is refused: %s', (_name, text, message) => {
  const compiled = compile(text, KUBERNETES)
  expect(compiled.kind === 'issues' ? compiled.text : '').toContain(message)
})

test('regular expressions match in linear time', () => {
  expect(evaluated(`'${'a'.repeat(20_000)}'.matches('(a*)*b')`)).toBe(false)
})

test.each([
  ['parsed URLs', `url("https://a/${'%41'.repeat(100)}").getHost() == ""`],
  ['formatted texts', '"%s %d".format(["a", b]) == ""'],
  ['times in a zone', 'timestamp("2020-01-01T00:00:00Z").getHours("America/New_York") < 0'],
  ['compiled regular expressions', '"a".matches("x{900}" + string(b))'],
])('an evaluation of many %s ends with its work limit', (_what, condition) => {
  const list = `[${Array.from({ length: 1000 }, (_none, i) => i).join()}]`
  const compiled = compile(`!${list}.exists(a, ${list}.exists(b, ${condition}))`, KUBERNETES)
  if (compiled.kind === 'issues') throw new Error(compiled.text)
  const program = compiled.expression.plan()
  if (program instanceof CelError) throw new Error(program.message)
  expect(program.evaluate({}, Number.MAX_SAFE_INTEGER).value).toBe(COST_LIMIT_EXCEEDED)
})
