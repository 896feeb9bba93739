/**
 * Converts the nodes of a YAML document to JSON: expands aliases, applies merge keys, turns keys into texts. Follows the decoder
 * of go.yaml.in/yaml/v2 and YAMLToJSON of sigs.k8s.io/yaml.
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

/** The maximum of characters from aliases: the size of a body. */
const maximumAliasedCharacters = 3 * 1024 * 1024

/**
 * The maximum ratio of nodes that come from aliases; smaller for documents with more nodes. The numbers are those of
 * go.yaml.in/yaml/v2.
 */
const aliasRatio = { few: 400_000, many: 4_000_000, ofFew: 0.99, ofMany: 0.1 } as const

function allowedRatio(nodes: number): number {
  const { few, many, ofFew, ofMany } = aliasRatio
  const share = Math.min(Math.max((nodes - few) / (many - few), 0), 1)
  return ofFew - (ofFew - ofMany) * share
}

/** A mapping that is being read. Keys of different types are different even if their texts are equal. */
interface OpenMapping {
  readonly values: Map<string, JsonValue>
  /** The entries whose keys are not texts, by type and value; absent if the mapping has none. */
  others?: Map<string, readonly [text: string, value: JsonValue]>
}

/** The number of entries in one part, which are as many steps of a slice. */
const entriesOfPart = 100
const stepsOfPart = 20

/** Texts without surrogates have the same order in Go and in the runtime, whose own sort is much faster. */
const SURROGATE = /[\ud800-\udfff]/

/** Returns the object with its keys in Go's order. */
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

/** Adds an entry. @returns whether the mapping already had its key */
function enter(mapping: OpenMapping, key: Scalar, value: JsonValue): boolean {
  const text = keyText(key)
  if (key.type === 'str' || key.type === 'timestamp') {
    const isDuplicate = mapping.values.has(text)
    mapping.values.set(text, value)
    return isDuplicate
  }
  const identity = `${key.type} ${key.value}`
  mapping.others ??= new Map()
  // NaN is not equal to itself, so it is never a duplicate.
  const isDuplicate = mapping.others.has(identity) && !Number.isNaN(key.value)
  mapping.others.set(identity, [text, value])
  return isDuplicate
}

/** Returns the first number in a value that JSON cannot represent. */
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
  /** The errors of a strict decoder: `line 7: key "a" already set in map`. */
  readonly duplicates: string[] = []
  /** The error for a key that JSON cannot represent. Go reports it only after the whole document is decoded. */
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

  /** Returns the value of a scalar. */
  private leaf(node: ScalarNode): JsonValue {
    this.count(node.text.length)
    return this.scalar(node)
  }

  /** Reads the value of a collection or of an alias. */
  private inner(node: Exclude<Node, ScalarNode>): Parts<JsonValue> {
    this.count(0)
    return this.collection(node)
  }

  /** Aliases can nest shallow collections into a deep one. */
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

  /** Whether a part of a long document is complete. */
  private isPartRead(): boolean {
    return ++this.entries % entriesOfPart === 0
  }

  /** Returns the target of an alias. Throws if it is read inside itself. */
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
        else if (enter(mapping, key, value)) this.reportDuplicate(key, valueNode.line)
      }
      if (this.isPartRead()) yield stepsOfPart
    }
  }

  private reportDuplicate(key: Scalar, line: number): void {
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
    // The earlier of several merged mappings take precedence, so they come last.
    const merged = node.kind === 'sequence' ? [...node.items].reverse() : [node]
    for (const item of merged) {
      const target = item.kind === 'alias' ? item.target : item
      if (target.kind !== 'mapping') {
        throw new YamlSyntaxError('yaml: map merge requires map or sequence of maps as the value')
      }
      this.count(0)
      if (item.kind === 'alias') {
        this.enterAlias(item)
        this.count(0)
        yield* this.fill(mapping, target)
        this.open.delete(item)
      } else yield* this.fill(mapping, target)
    }
    this.depth--
  }
}
