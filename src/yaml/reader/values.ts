/**
 * From the nodes of a YAML document to JSON: aliases unfolded, merges done, keys made text. Follows the decoder of
 * go.yaml.in/yaml/v2 and YAMLToJSON of sigs.k8s.io/yaml.
 */

import { isRawNumber, rawNumber, setKey } from '../../go/json.ts'
import { MAX_STRICT_ERRORS } from '../../go/json-duplicates.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { compareText } from '../../go/text.ts'
import { shortestFloat } from './float-text.ts'
import { goSyntaxOf } from './go-syntax.ts'
import { keyRefusal, keySyntax, keyText } from './key.ts'
import type { AliasNode, MappingNode, Node, Parts, ScalarNode } from './node.ts'
import { isMerge, type Scalar, scalarOf } from './resolve.ts'
import { maximumDepth, syntaxError, YamlSyntaxError } from './source.ts'

/** How many characters may come from aliases: as many as a body has. */
const maximumAliasedCharacters = 3 * 1024 * 1024

/** The part of all nodes that aliases may account for: of many nodes less. The numbers are those of go.yaml.in/yaml/v2. */
const aliasRatio = { few: 400_000, many: 4_000_000, ofFew: 0.99, ofMany: 0.1 } as const

function allowedRatio(nodes: number): number {
  const { few, many, ofFew, ofMany } = aliasRatio
  const share = Math.min(Math.max((nodes - few) / (many - few), 0), 1)
  return ofFew - (ofFew - ofMany) * share
}

/** A mapping that is being read. Keys of different types are different, though their texts may be the same. */
interface OpenMapping {
  readonly values: Map<string, JsonValue>
  /** Entries whose keys are no text, by type and value; absent as long as there is none. */
  others?: Map<string, readonly [text: string, value: JsonValue]>
}

/** So many entries are read at once, and they take about so many steps of a slice. */
const entriesOfPart = 100
const stepsOfPart = 20

/** The order of texts that have no surrogates, which is that of the runtime and much quicker. */
const SURROGATE = /[\ud800-\udfff]/

/** The object with its keys in Go's order. */
function* closed({ values, others }: OpenMapping): Parts<JsonObject> {
  for (const [text, value] of others?.values() ?? []) values.set(text, value)
  const keys = [...values.keys()]
  if (keys.length > 1) {
    if (keys.some((key) => SURROGATE.test(key))) keys.sort(compareText)
    else keys.sort()
  }
  if (keys.length > entriesOfPart) yield keys.length / 4
  const object: JsonObject = {}
  let count = 0
  for (const key of keys) {
    setKey(object, key, values.get(key) ?? null)
    if (++count % entriesOfPart === 0) yield stepsOfPart
  }
  return object
}

/** Notes an entry. @returns whether its key was there before */
function enter(mapping: OpenMapping, key: Scalar, value: JsonValue): boolean {
  const text = keyText(key)
  if (key.type === 'str' || key.type === 'timestamp') {
    const isKnown = mapping.values.has(text)
    mapping.values.set(text, value)
    return isKnown
  }
  const identity = `${key.type} ${key.value}`
  mapping.others ??= new Map()
  // NaN is not equal to itself: it is never there twice.
  const isKnown = mapping.others.has(identity) && !Number.isNaN(key.value)
  mapping.others.set(identity, [text, value])
  return isKnown
}

/** The first number in a value that JSON has no form for. */
function firstNotFinite(value: JsonValue): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : value
  if (value === null || typeof value !== 'object' || isRawNumber(value)) return undefined
  for (const inner of Object.values(value)) {
    const found = firstNotFinite(inner)
    if (found !== undefined) return found
  }
  return undefined
}

export class ValueReader {
  /** The complaints of a strict reader: `line 7: key "a" already set in map`. */
  readonly duplicates: string[] = []
  /** Why a key can be none in JSON: Go comes upon it only when the whole document is read. */
  private refusedKey: string | undefined
  private hasNotFinite = false
  private nodes = 1
  private depth = 0
  private aliased = 0
  private aliasedCharacters = 0
  private entries = 0
  private readonly open = new Set<AliasNode>()

  private count(characters: number): void {
    this.nodes++
    if (this.open.size === 0) return
    this.aliased++
    this.aliasedCharacters += characters
    const tooMany = this.aliased > 100 && this.nodes > 1000 && this.aliased / this.nodes > allowedRatio(this.nodes)
    if (tooMany || this.aliasedCharacters > maximumAliasedCharacters) {
      throw new YamlSyntaxError('yaml: document contains excessive aliasing')
    }
  }

  /** @throws YamlSyntaxError */
  *read(root: Node): Parts<JsonValue> {
    const value = root.kind === 'scalar' ? this.leaf(root) : yield* this.inner(root)
    if (this.refusedKey !== undefined) throw new YamlSyntaxError(this.refusedKey)
    const notFinite = this.hasNotFinite ? firstNotFinite(value) : undefined
    if (notFinite !== undefined) throw new YamlSyntaxError(`json: unsupported value: ${shortestFloat(notFinite)}`)
    return value
  }

  /** The value of a scalar. */
  private leaf(node: ScalarNode): JsonValue {
    this.count(node.text.length)
    return this.scalar(node)
  }

  /** The value of what holds others. */
  private inner(node: Exclude<Node, ScalarNode>): Parts<JsonValue> {
    this.count(0)
    return this.collection(node)
  }

  /** Aliases may make of collections that are not deep one that is. */
  private descend(): void {
    if (++this.depth > maximumDepth) throw syntaxError(`exceeded max depth of ${maximumDepth}`, 0)
  }

  private *collection(node: Exclude<Node, ScalarNode>): Parts<JsonValue> {
    this.descend()
    let value: JsonValue
    if (node.kind === 'alias') {
      const target = this.enterAlias(node)
      value = target.kind === 'scalar' ? this.leaf(target) : yield* this.inner(target)
      this.open.delete(node)
    } else if (node.kind === 'sequence') {
      const list: JsonValue[] = []
      for (const item of node.items) {
        list.push(item.kind === 'scalar' ? this.leaf(item) : yield* this.inner(item))
        if (this.isPartRead()) yield stepsOfPart
      }
      value = list
    } else {
      const mapping: OpenMapping = { values: new Map() }
      yield* this.fill(mapping, node)
      value = yield* closed(mapping)
    }
    this.depth--
    return value
  }

  /** Whether a part of a long document has been read. */
  private isPartRead(): boolean {
    return ++this.entries % entriesOfPart === 0
  }

  /** What the alias stands for, which must not be read within itself. */
  private enterAlias(node: AliasNode): Node {
    if (this.open.has(node)) throw new YamlSyntaxError(`yaml: anchor '${node.name}' value contains itself`)
    this.open.add(node)
    return node.target
  }

  private scalar(node: ScalarNode): JsonValue {
    const scalar = scalarOf(node)
    if (scalar.type === 'float' && !Number.isFinite(scalar.value)) this.hasNotFinite = true
    return typeof scalar.value === 'bigint' ? rawNumber(String(scalar.value)) : scalar.value
  }

  private *fill(mapping: OpenMapping, { entries }: MappingNode): Parts<void> {
    for (const [keyNode, valueNode] of entries) {
      if (isMerge(keyNode)) yield* this.merge(mapping, valueNode)
      else {
        const key = keyNode.kind === 'scalar' ? this.scalarKey(keyNode) : yield* this.key(keyNode)
        const value = valueNode.kind === 'scalar' ? this.leaf(valueNode) : yield* this.inner(valueNode)
        const refusal = keyRefusal(key)
        if (refusal !== undefined) this.refusedKey ??= `${refusal}, value: ${goSyntaxOf(valueNode)}`
        else if (enter(mapping, key, value)) this.tellDuplicate(key, valueNode.line)
      }
      if (this.isPartRead()) yield stepsOfPart
    }
  }

  private tellDuplicate(key: Scalar, line: number): void {
    if (this.duplicates.length === MAX_STRICT_ERRORS) return
    this.duplicates.push(`line ${line + 1}: key ${keySyntax(key)} already set in map`)
  }

  private scalarKey(node: ScalarNode): Scalar {
    this.count(node.text.length)
    return scalarOf(node)
  }

  private *key(node: Node): Parts<Scalar> {
    if (node.kind === 'scalar') return this.scalarKey(node)
    if (node.kind === 'alias') {
      this.count(0)
      const key = yield* this.key(this.enterAlias(node))
      this.open.delete(node)
      return key
    }
    yield* this.inner(node)
    throw new YamlSyntaxError(`yaml: invalid map key: ${goSyntaxOf(node)}`)
  }

  private *merge(mapping: OpenMapping, node: Node): Parts<void> {
    this.descend()
    // Of merged mappings the earlier ones count, so they come last.
    const merged = node.kind === 'sequence' ? [...node.items].reverse() : [node]
    for (const one of merged) {
      const target = one.kind === 'alias' ? one.target : one
      if (target.kind !== 'mapping') {
        throw new YamlSyntaxError('yaml: map merge requires map or sequence of maps as the value')
      }
      this.count(0)
      if (one.kind === 'alias') {
        this.enterAlias(one)
        this.count(0)
        yield* this.fill(mapping, target)
        this.open.delete(one)
      } else yield* this.fill(mapping, target)
    }
    this.depth--
  }
}
