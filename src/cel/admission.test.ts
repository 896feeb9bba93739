import { describe, expect, it } from 'vitest'
import { AdmissionCompiler, type AdmissionPart } from './admission.ts'
import { BOOL, type CelType, listOf, NULL, objectType, STRING } from './types.ts'

const authorized: readonly AdmissionPart[] = ['authorizer']

function outcome(text: string, parts: readonly AdmissionPart[] = authorized, types: readonly CelType[] = [BOOL]): string {
  const compiled = new AdmissionCompiler('none').compile(text, parts, types)
  return compiled.kind === 'program' ? 'compiles' : `${compiled.kind}: ${compiled.text}`
}

describe('CEL expressions of admission', () => {
  it.each([
    'object.spec.replicas > oldObject.spec.replicas',
    'request.userInfo.extra["x"].size() > 0 && request.options.dryRun',
    'namespaceObject.metadata.namespace == "" && namespaceObject.status.conditions.all(c, c.lastTransitionTime.getFullYear() > 2020)',
    'authorizer.requestResource.check("get").allowed()',
  ])('%s compiles', (text) => {
    expect(outcome(text)).toBe('compiles')
  })

  it('know the fields of the request', () => {
    expect(outcome('request.kind.foo == ""')).toContain("undefined field 'foo'")
  })

  it('may refer to params and authorizer only if they are declared', () => {
    expect(outcome('params.x == 1')).toContain("undeclared reference to 'params'")
    expect(outcome('params.x == 1', ['params'])).toBe('compiles')
    expect(outcome('authorizer.path("/").check("get").allowed()', [])).toContain("undeclared reference to 'authorizer'")
  })

  it('report the expected result types', () => {
    expect(outcome('[1]')).toBe('invalid: must evaluate to bool but got list(int)')
    expect(outcome('null == null', [], [STRING, NULL])).toBe('invalid: must evaluate to one of [string null_type] but got bool')
  })

  it('report a failed program instantiation as internal error', () => {
    const text = 'internal: program instantiation failed: reference to undefined type: kubernetes.AdmissionRequest'
    expect(outcome('type(request) == kubernetes.AdmissionRequest')).toBe(text)
  })

  it('give variables the types of their expressions, and dyn to invalid ones', () => {
    const compiler = new AdmissionCompiler('composed')
    compiler.compileVariable('names', '["a"]', authorized)
    compiler.compileVariable('broken', '1 +', authorized)
    compiler.compileVariable('request', '[request]', authorized)
    const kindOf = (text: string) => compiler.compile(text, authorized, [BOOL]).kind
    expect(kindOf('variables.names[0] == "a" && variables.broken.x && variables.request[0].anything')).toBe('program')
    expect(kindOf('variables.names[0] == 1')).toBe('invalid')
    expect(kindOf('variables.later')).toBe('invalid')
  })

  it.each([
    ['Object{spec: Object.spec{replicas: 3, "x": 1}}', /Syntax error/],
    ['Object.spec{}', /^invalid: must evaluate to Object but got Object\.spec$/],
    ['Object{spec: object.spec, ?metadata: optional.none()}', /^compiles$/],
  ])('evaluate Object{…} of ApplyConfiguration mutations: %s', (text, expected) => {
    expect(outcome(text, ['patches'], [objectType('Object')])).toMatch(expected)
  })

  it.each([
    ['[JSONPatch{op: "add", path: "/" + jsonpatch.escapeKey("a/b"), value: Object{a: 1}}]', /^compiles$/],
    ['[]', /^invalid: must evaluate to list\(JSONPatch\) but got list\(dyn\)$/],
    ['[JSONPatch{op: 1}]', /expected type of field 'op' is 'string' but provided type is 'int'/],
  ])('evaluate JSONPatch{…} mutations: %s', (text, expected) => {
    expect(outcome(text, ['patches'], [listOf(objectType('JSONPatch'))])).toMatch(expected)
  })

  it('compare the objects that mutations construct', () => {
    const compiled = new AdmissionCompiler('none').compile(
      'Object{spec: Object.spec{a: [1]}}.spec.a[0] == 1 && Object{a: 1} != Object{a: 2}',
      ['patches'],
      [BOOL],
    )
    expect(compiled.kind === 'program' && compiled.program.evaluate({}, 1000).value).toBe(true)
  })
})
