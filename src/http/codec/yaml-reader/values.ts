/**
 * From the nodes of a YAML document to JSON: aliases unfolded, merges done, keys made text. Follows the decoder of
 * go.yaml.in/yaml/v2 and YAMLToJSON of sigs.k8s.io/yaml.
 */
import { compareText } from '../../../meta/go-text.ts'
import { rawNumber, setKey } from '../../../meta/json.ts'
import { MAX_STRICT_ERRORS } from '../../../meta/json-duplicates.ts'
import type { JsonObject, JsonValue } from '../../../meta/json-value.ts'
import { shortestFloat } from './float-text.ts'
import { goSyntaxOf } from './go-syntax.ts'
import { type Key, keyOf } from './key.ts'
import type { AliasNode, MappingNode, Node, ScalarNode } from './node.ts'
import { isMerge, scalarOf } from './resolve.ts'
import { YamlSyntaxError } from './source.ts'

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
  readonly keys: Set<string>
  readonly values: Map<string, JsonValue>
}

/** An object with its keys in Go's order. */
function sorted(values: ReadonlyMap<string, JsonValue>): JsonObject {
  const object: JsonObject = {}
  for (const key of [...values.keys()].sort(compareText)) setKey(object, key, values.get(key) ?? null)
  return object
}

export class ValueReader {
  /** The complaints of a strict reader: `line 7: key "a" already set in map`. */
  readonly duplicates: string[] = []
  /** What has no form in JSON: Go comes upon it only when the whole document is read. */
  private notJson: string | undefined
  private nodes = 1
  private aliased = 0
  private aliasedCharacters = 0
  private readonly open = new Set<AliasNode>()

  /** @throws YamlSyntaxError */
  read(root: Node): JsonValue {
    const value = this.value(root)
    if (this.notJson !== undefined) throw new YamlSyntaxError(this.notJson)
    return value
  }

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

  private value(node: Node): JsonValue {
    this.count(node.kind === 'scalar' ? node.text.length : 0)
    switch (node.kind) {
      case 'scalar':
        return this.scalar(node)
      case 'sequence':
        return node.items.map((item) => this.value(item))
      case 'mapping': {
        const mapping: OpenMapping = { keys: new Set(), values: new Map() }
        this.fill(mapping, node)
        return sorted(mapping.values)
      }
      case 'alias':
        return this.unfold(node, (target) => this.value(target))
    }
  }

  private unfold<T>(node: AliasNode, read: (target: Node) => T): T {
    if (this.open.has(node)) throw new YamlSyntaxError(`yaml: anchor '${node.name}' value contains itself`)
    this.open.add(node)
    const result = read(node.target)
    this.open.delete(node)
    return result
  }

  private scalar(node: ScalarNode): JsonValue {
    const scalar = scalarOf(node)
    if (scalar.type === 'int') {
      const number = Number(scalar.value)
      return Number.isSafeInteger(number) ? number : rawNumber(String(scalar.value))
    }
    if (scalar.type !== 'float') return scalar.value
    if (!Number.isFinite(scalar.value)) this.notJson ??= `json: unsupported value: ${shortestFloat(scalar.value)}`
    return scalar.value
  }

  private fill(mapping: OpenMapping, { entries }: MappingNode): void {
    for (const [keyNode, valueNode] of entries) {
      if (isMerge(keyNode)) this.merge(mapping, valueNode)
      else {
        const key = this.key(keyNode)
        const value = this.value(valueNode)
        if (typeof key === 'string') this.notJson ??= `${key}, value: ${goSyntaxOf(valueNode)}`
        else this.set(mapping, key, value, valueNode.line)
      }
    }
  }

  private set(mapping: OpenMapping, key: Key, value: JsonValue, line: number): void {
    mapping.values.set(key.text, value)
    if (key.identity === undefined) return
    if (mapping.keys.has(key.identity) && this.duplicates.length < MAX_STRICT_ERRORS) {
      this.duplicates.push(`line ${line + 1}: key ${key.shown} already set in map`)
    }
    mapping.keys.add(key.identity)
  }

  /** A key, or why it can be none. */
  private key(node: Node): Key | string {
    if (node.kind === 'alias') {
      this.count(0)
      return this.unfold(node, (target) => this.key(target))
    }
    if (node.kind !== 'scalar') {
      this.value(node)
      throw new YamlSyntaxError(`yaml: invalid map key: ${goSyntaxOf(node)}`)
    }
    this.count(node.text.length)
    return keyOf(scalarOf(node))
  }

  private merge(mapping: OpenMapping, node: Node): void {
    // Of merged mappings the earlier ones count, so they come last.
    const merged = node.kind === 'sequence' ? [...node.items].reverse() : [node]
    for (const one of merged) {
      const target = one.kind === 'alias' ? one.target : one
      if (target.kind !== 'mapping') {
        throw new YamlSyntaxError('yaml: map merge requires map or sequence of maps as the value')
      }
      this.count(0)
      if (one.kind === 'alias') {
        this.unfold(one, () => {
          this.count(0)
          this.fill(mapping, target)
        })
      } else this.fill(mapping, target)
    }
  }
}
