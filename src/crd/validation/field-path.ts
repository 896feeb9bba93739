/** Field paths of rules and selectable fields: `.spec.replicas`, `.spec['my-key']`. */
import { isSchema, type JsonSchema } from '../json-schema.ts'

/** A valid path: its text, its first step, and the schema at its end. */
export interface FieldPath {
  readonly text: string
  readonly root: string
  readonly schema: JsonSchema | undefined
}

/** The error of an invalid path. */
export class FieldPathError extends Error {}

/** Splits a path into delimiters, quoted strings and names. */
function tokensOf(path: string): string[] {
  const tokens: string[] = []
  let rest = path
  while (rest !== '') {
    const quoted = rest.startsWith("'") ? /^'(?:[^'\\]|\\.)*'/s.exec(rest)?.[0] : undefined
    const token = quoted ?? (/^[.[\]]/.exec(rest)?.[0] || (rest.startsWith("'") ? rest : /^[^.[\]]+/.exec(rest)?.[0])) ?? rest
    tokens.push(token)
    rest = rest.slice(token.length)
  }
  return tokens
}

const escapes: Readonly<Record<string, string>> = { "'": "'", '"': '"', '\\': '\\', n: '\n', t: '\t', r: '\r' }

class Walk {
  text = ''
  root = ''
  schema: JsonSchema | undefined

  constructor(schema: JsonSchema) {
    this.schema = schema
  }

  step(name: string): void {
    const { properties, additionalProperties } = this.schema ?? {}
    if (properties !== undefined && Object.keys(properties).length > 0) {
      const next = Object.hasOwn(properties, name) ? properties[name] : undefined
      if (next === undefined) throw new FieldPathError('does not refer to a valid field')
      this.text += this.text === '' ? name : `.${name}`
      this.schema = next
    } else if (additionalProperties !== undefined) {
      this.text += `[${name}]`
      this.schema = isSchema(additionalProperties) ? additionalProperties : undefined
    } else throw new FieldPathError('does not refer to a valid field')
    if (this.root === '') this.root = name
  }
}

function quotedName(token: string | undefined): string {
  if (token === undefined) throw new FieldPathError('unexpected end of JSON path')
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) {
    throw new FieldPathError(`expected single quoted string but got ${token}`)
  }
  return token.slice(1, -1).replace(/\\(.)/gs, (all, character: string) => escapes[character] ?? all)
}

/**
 * Resolves a path in a schema.
 * @throws FieldPathError if it is malformed or does not exist in the schema
 */
export function followFieldPath(path: string, schema: JsonSchema, brackets: 'allowed' | 'refused'): FieldPath {
  const walk = new Walk(schema)
  const tokens = tokensOf(path)
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]
    if (token === '.') {
      const name = tokens[++i]
      if (name === undefined) throw new FieldPathError('unexpected end of JSON path')
      walk.step(name)
    } else if (token === '[') {
      if (brackets === 'refused') throw new FieldPathError('array notation is not allowed')
      walk.step(quotedName(tokens[++i]))
      const end = tokens[++i]
      if (end === undefined) throw new FieldPathError('unexpected end of JSON path')
      if (end !== ']') throw new FieldPathError(`expected ] but got ${end}`)
    } else throw new FieldPathError(`expected [ or . but got: ${token}`)
  }
  return walk
}
