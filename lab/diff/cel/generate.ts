/** Generates expressions of the grammar from a seed: valid, ill-typed, and with broken syntax. */
import fc from 'fast-check'
import { grammar, misplaced, noise, type TypeName } from './grammar.ts'

/** The variables that an expression may use, by type. */
type Scope = Readonly<Partial<Record<TypeName, readonly string[]>>>

/** The settings of a generated expression. */
interface Making {
  readonly root: string
  /** The percentage of holes that are filled with a wrong type. */
  readonly mistakes: number
}

const hole = /<(\w+)((?:\|\w+:\w+)*)>/

const isType = (name: string): name is TypeName => Object.hasOwn(grammar, name)

function typeNamed(name: string): TypeName {
  if (!isType(name)) throw new Error(`the grammar has no ${name}`)
  return name
}

function withVariables(scope: Scope, bindings: string): Scope {
  const inner: Partial<Record<TypeName, readonly string[]>> = { ...scope }
  for (const binding of bindings.split('|').slice(1)) {
    const [name = '', type = ''] = binding.split(':')
    inner[typeNamed(type)] = [...(inner[typeNamed(type)] ?? []), name]
  }
  return inner
}

/** The forms without holes, by type. */
const endings = new Map<TypeName, readonly string[]>(
  Object.entries(grammar).map(([type, forms]) => {
    const closed = forms.filter((form) => !hole.test(form))
    return [typeNamed(type), closed.length > 0 ? closed : forms]
  }),
)

function formOf(type: TypeName, depth: number, scope: Scope): fc.Arbitrary<string> {
  const forms: fc.Arbitrary<string> = fc.constantFrom(...(depth > 0 ? grammar[type] : (endings.get(type) ?? grammar[type])))
  const variables = scope[type] ?? []
  if (variables.length === 0) return forms
  return fc.oneof({ weight: 2, arbitrary: forms }, { weight: 1, arbitrary: fc.constantFrom(...variables) })
}

/** Fills the holes of a form one after another. */
function filled(form: string, depth: number, scope: Scope, making: Making): fc.Arbitrary<string> {
  const found = hole.exec(form)
  if (found === null) return fc.constant(form)
  const [text, name = '', bindings = ''] = found
  const before = form.slice(0, found.index)
  const behind = form.slice(found.index + text.length)
  return fc
    .integer({ min: 0, max: 99 })
    .chain((dice) => (dice < making.mistakes ? fc.constantFrom(...misplaced) : fc.constant(typeNamed(name))))
    .chain((type) => expressionOf(type, depth - 1, withVariables(scope, bindings), making))
    .chain((inner) => filled(behind, depth, scope, making).map((rest) => before + inner + rest))
}

function expressionOf(type: TypeName, depth: number, scope: Scope, making: Making): fc.Arbitrary<string> {
  return formOf(type, depth, scope).chain((form) => filled(form.replaceAll('$', making.root), depth, scope, making))
}

/** Inserts noise, removes characters, or both. */
function broken(text: string): fc.Arbitrary<string> {
  const characters = [...text]
  return fc
    .tuple(fc.nat({ max: characters.length }), fc.nat({ max: 3 }), fc.constantFrom('', ...noise))
    .map(([at, length, put]) => [...characters.slice(0, at), put, ...characters.slice(at + length)].join(''))
}

/** The percentages of expressions with broken syntax and with type errors. */
const shares = { broken: 15, mistaken: 18 }

function anyOf(type: TypeName, roots: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 1, max: 4 }), fc.constantFrom(...roots))
    .chain(([dice, depth, root]) => {
      const isMistaken = dice >= shares.broken && dice < shares.broken + shares.mistaken
      const good = expressionOf(type, depth, {}, { root, mistakes: isMistaken ? 12 : 0 })
      return dice < shares.broken ? good.chain(broken) : good
    })
    .filter((text) => text.trim() !== '')
}

/** A rule, or a message expression that shows the value of another expression. */
export interface GeneratedRule {
  readonly rule: string
  readonly messageExpression?: string
}

const shownTypes: readonly TypeName[] = [
  ...['int', 'uint', 'double', 'string', 'bool', 'timestamp', 'duration', 'ints', 'strings', 'counts', 'bytes', 'object'],
] as readonly TypeName[]

function ruleOf(roots: readonly string[]): fc.Arbitrary<GeneratedRule> {
  const message = fc.constantFrom(...shownTypes).chain((type) => anyOf(type, roots))
  return fc.oneof(
    { weight: 6, arbitrary: anyOf('bool', roots).map((rule) => ({ rule })) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(anyOf('bool', roots), anyOf('string', roots))
        .map(([rule, messageExpression]) => ({ rule, messageExpression })),
    },
    { weight: 3, arbitrary: message.map((text) => ({ rule: 'false', messageExpression: `"%s".format([${text}])` })) },
  )
}

/** Generates the rules of a seed, reproducibly. */
export function generatedRules(roots: readonly string[], count: number, seed: number): GeneratedRule[] {
  return fc.sample(ruleOf(roots), { seed, numRuns: count })
}
