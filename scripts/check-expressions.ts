/**
 * Checks that every regular expression in src is linear in its text, however it is used: one that is not lets a client's text keep
 * the server busy. Prints every other one with its place; exit code 1 if there is one. Expressions of users run on RE2
 * (src/go/regexp).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Expression, parseSync, Visitor } from 'oxc-parser'
import { superlinear } from './linear/ambiguity.ts'

const source = resolve(import.meta.dirname, '..', 'src')

/** Expressions, by file, for texts that no client of the server writes, with the reason. `new RegExp` is listed as it is written. */
const allowed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'launcher/migrate/commands.ts': { '/\\D+$/': 'the version of the server that this command reads' },
  'launcher/start-again.ts': {
    "new RegExp(`^ *\\\\d+: [0-9A-F]+:${port.toString(16).toUpperCase().padStart(4, '0')} [0-9A-F:]+ 0A `, 'm')":
      "a table of the kernel, and the machine's own port",
  },
}

interface Place {
  readonly file: string
  readonly line: number
}

function files(): string[] {
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.m?ts$/.test(file) && !/\.(?:test|fixture|d)\.ts$/.test(file))
    .sort()
}

/** Returns the text of an expression that is put together from constants of its file; undefined of another. */
function textOf(node: Expression | undefined, constants: ReadonlyMap<string, Expression>): string | undefined {
  switch (node?.type) {
    case 'Literal':
      if ('regex' in node) return node.regex.pattern
      return typeof node.value === 'string' ? node.value : undefined
    case 'Identifier':
      return textOf(constants.get(node.name), constants)
    case 'TemplateLiteral': {
      const parts = node.expressions.map((part) => textOf(part, constants))
      if (parts.includes(undefined)) return undefined
      return node.quasis.map(({ value }, i) => `${value.cooked ?? ''}${parts[i] ?? ''}`).join('')
    }
    case 'TaggedTemplateExpression': {
      const parts = node.quasi.expressions.map((part) => textOf(part, constants))
      if (parts.includes(undefined)) return undefined
      return node.quasi.quasis.map(({ value }, i) => `${value.raw}${parts[i] ?? ''}`).join('')
    }
    case 'MemberExpression':
      return node.property.type === 'Identifier' && node.property.name === 'source'
        ? textOf(node.object as Expression, constants)
        : undefined
    default:
      return undefined
  }
}

function* problemsIn(file: string): Generator<string> {
  const text = readFileSync(join(source, file), 'utf8')
  const { program } = parseSync(file, text)
  const constants = new Map<string, Expression>()
  const expressions: {
    readonly written: string
    readonly source: string | undefined
    readonly flags: string
    readonly at: Place
  }[] = []
  const placeOf = (offset: number): Place => ({ file, line: text.slice(0, offset).split('\n').length })
  const construct = (node: { callee: Expression; arguments: readonly unknown[]; start: number; end: number }): void => {
    if (node.callee.type !== 'Identifier' || node.callee.name !== 'RegExp') return
    const [pattern, flags] = node.arguments as (Expression | undefined)[]
    const written = text.slice(node.start, node.end).replace(/\s+/g, ' ')
    expressions.push({
      written,
      source: textOf(pattern, constants),
      flags: textOf(flags, constants) ?? '',
      at: placeOf(node.start),
    })
  }
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type === 'Identifier' && init !== null) constants.set(id.name, init)
    },
    Literal(node) {
      if (!('regex' in node)) return
      const { pattern, flags } = node.regex
      expressions.push({ written: `/${pattern}/${flags}`, source: pattern, flags, at: placeOf(node.start) })
    },
    NewExpression: construct as never,
    CallExpression: construct as never,
  }).visit(program)
  for (const { written, source: pattern, flags, at } of expressions) {
    if (allowed[file]?.[written] !== undefined) {
      used.add(`${file} ${written}`)
      continue
    }
    const problem = pattern === undefined ? 'it is not constant' : superlinear(pattern, flags)
    if (problem !== undefined) yield `src/${at.file}:${at.line}: ${written}: ${problem}`
  }
}

const used = new Set<string>()
const checked = files()
const problems = checked.flatMap((file) => [...problemsIn(file)])
for (const [file, expressions] of Object.entries(allowed)) {
  for (const written of Object.keys(expressions)) {
    if (!used.has(`${file} ${written}`)) problems.push(`src/${file}: ${written} is allowed, but not there`)
  }
}
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exitCode = 1
} else console.log(`the regular expressions of ${checked.length} files are linear`)
