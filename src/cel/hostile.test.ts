import { expect, it } from 'vitest'
import { compile } from './compile.ts'
import { KUBERNETES } from './kubernetes-environment.ts'
import { DYN } from './types.ts'

const environment = KUBERNETES.extend({ variables: { self: DYN } })

/** Returns the error messages without their source snippets. */
function outcome(text: string): string {
  const compiled = compile(text, environment)
  return compiled.kind === 'expression' ? 'compiles' : compiled.text.replaceAll(/\n \|.*/g, '')
}

const expected =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"

// The expected answers are those of kube-apiserver, if it gives one.
it.each([
  ['a list of many lists', `[${'[],'.repeat(33_000)}[]]`, 'compiles'],
  ['a list of many numbers', `[${'1,'.repeat(49_000)}1]`, 'compiles'],
  ['many folds', `[${'[].map(x,x),'.repeat(8_000)}[]]`, 'compiles'],
  ['a long disjunction', `${'true||'.repeat(16_000)}true`, 'compiles'],
  ['many signs', `${'-'.repeat(99_000)}1`, 'compiles'],
  ['deep brackets', `${'['.repeat(99_000)}`, 'ERROR: <input>:-1:0: expression recursion limit exceeded: 250'],
  ['a long path', `self${'.a'.repeat(49_000)}`, 'ERROR: <input>:-1:0: max recursion depth exceeded'],
  ['a text above the size limit', ' '.repeat(100_001), /code point size exceeds limit: size: 100001, limit 100000$/],
  [
    'an unfinished chain',
    `${'a && '.repeat(19_000)})`,
    `ERROR: <input>:1:95001: Syntax error: mismatched input ')' expecting ${expected}`,
  ],
  [
    'tokens that match no rule',
    'a b '.repeat(24_000),
    /^ERROR: <input>:-1:0: error recovery token lookahead limit exceeded: 256\n/,
  ],
  ['brackets in the wrong order', ')('.repeat(49_000), /\n1 more errors were truncated$/],
  ['text without tokens', '#'.repeat(99_000), /\n1 more errors were truncated$/],
  [
    'large regular expressions',
    `[${Array.from({ length: 2_500 }, (_, i) => `"a".matches("(x+x+)+${i}{1,900}")`).join()}]`,
    'ERROR: <input>:-1:0: expression is too large',
  ],
  ['nested broken brackets', `${'('.repeat(60)}true${')'.repeat(60)} 1`, /Syntax error: extraneous input '1' expecting <EOF>$/],
])('%s', (_name, text, answer) => {
  if (typeof answer === 'string') expect(outcome(text)).toBe(answer)
  else expect(outcome(text)).toMatch(answer)
})
