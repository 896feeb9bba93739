/**
 * Composes tokens into the nodes of a stream's first document. Follows the grammar of YAML 1.1 as go.yaml.in/yaml/v2 reads it.
 */
import type { AliasNode, MappingNode, Node, Parts, ScalarNode, SequenceNode } from './node.ts'
import { Scanner } from './scanner.ts'
import { maximumDepth, syntaxError, YamlSyntaxError } from './source.ts'
import type { Token, TokenType } from './token.ts'

/** The position of a node: in a flow collection, in a block, or after a key, which allows a list without indentation. */
type NodeContext = 'flow' | 'block' | 'value'

const set = (...types: readonly TokenType[]): ReadonlySet<TokenType> => new Set(types)

/** Tokens before which the node is empty. */
const afterDocumentStart = set('version-directive', 'tag-directive', 'document-start', 'document-end', 'stream-end')
const afterBlockEntry = set('block-entry', 'block-end')
const afterIndentlessEntry = set('block-entry', 'key', 'value', 'block-end')
const afterBlockKey = set('key', 'value', 'block-end')
const afterFlowKey = set('value', 'flow-entry', 'flow-mapping-end')
const afterFlowValue = set('flow-entry', 'flow-mapping-end')
const afterPairKey = set('value', 'flow-entry', 'flow-sequence-end')
const afterPairValue = set('flow-entry', 'flow-sequence-end')

const defaultHandles: readonly (readonly [string, string])[] = [
  ['!', '!'],
  ['!!', 'tag:yaml.org,2002:'],
]

function emptyNode(line: number): ScalarNode {
  return { kind: 'scalar', line, tag: '', text: '', implicit: true }
}

/** The number of entries in one part, which are about as many steps of a slice. */
const entriesOfPart = 100
const stepsOfPart = 20

/** A collection that is composed in parts, one generator per level: a document has at most a thousand levels. */
type Reading = Parts<Node>

const isReading = (begun: Node | Reading): begun is Reading => !('kind' in begun)

interface Properties {
  readonly anchor: string
  readonly tag: string
}

const noProperties: Properties = { anchor: '', tag: '' }

class Composer {
  private readonly scanner: Scanner
  private readonly anchors = new Map<string, Node>()
  private handles: ReadonlyMap<string, string> = new Map(defaultHandles)
  private depth = 0
  private entries = 0

  constructor(scanner: Scanner) {
    this.scanner = scanner
  }

  *document(): Parts<Node | undefined> {
    const { scanner } = this
    const first = scanner.peek()
    if (first.type === 'stream-end') return undefined
    const explicit = first.type === 'version-directive' || first.type === 'tag-directive' || first.type === 'document-start'
    if (explicit) this.documentStart()
    const begun = explicit ? this.nodeUnless(afterDocumentStart, 'block') : this.node('block')
    const root = isReading(begun) ? yield* begun : begun
    // Scans the one token after the document, whose errors are reported.
    scanner.peek()
    return root
  }

  private documentStart(): void {
    const { scanner } = this
    const handles = new Map<string, string>()
    let version: Token | undefined
    for (let token = scanner.peek(); token.type !== 'document-start'; token = scanner.peek()) {
      if (token.type === 'version-directive') {
        if (version !== undefined) throw syntaxError('found duplicate %YAML directive', token.line)
        if (token.value !== '1.1') throw syntaxError('found incompatible YAML document', token.line)
        version = token
      } else if (token.type === 'tag-directive') {
        if (handles.has(token.value)) throw syntaxError('found duplicate %TAG directive', token.line)
        handles.set(token.value, token.suffix)
      } else throw syntaxError('did not find expected <document start>', token.line)
      scanner.next()
    }
    scanner.next()
    this.handles = new Map([...defaultHandles, ...handles])
  }

  /** Returns the node at the current position, or an empty node before one of these tokens. */
  private nodeUnless(absent: ReadonlySet<TokenType>, context: NodeContext, line?: number): Node | Reading {
    const token = this.scanner.peek()
    return absent.has(token.type) ? emptyNode(line ?? token.line) : this.node(context)
  }

  private node(context: NodeContext): Node | Reading {
    const token = this.scanner.peek()
    if (token.type === 'alias') return this.alias()
    const { type, line } = token
    const node = this.content(context, line, type === 'anchor' || type === 'tag' ? this.properties() : noProperties)
    if (node !== undefined) return node
    throw syntaxError('did not find expected node content', this.scanner.peek().line)
  }

  private alias(): AliasNode {
    const { line, value: name } = this.scanner.next()
    const target = this.anchors.get(name)
    if (target === undefined) throw new YamlSyntaxError(`yaml: unknown anchor '${name}' referenced`)
    return { kind: 'alias', line, name, target }
  }

  /** Reads an anchor and a tag, in either order. */
  private properties(): Properties {
    const { scanner } = this
    const first = scanner.next()
    const following = scanner.peek()
    const pairs = (following.type === 'anchor' || following.type === 'tag') && following.type !== first.type
    const second = pairs ? scanner.next() : undefined
    const anchor = first.type === 'anchor' ? first : second
    const tag = first.type === 'tag' ? first : second
    // The scanner's errors after a tag are reported before errors of the tag's handle.
    scanner.peek()
    return { anchor: anchor?.value ?? '', tag: tag === undefined ? '' : this.resolveTag(tag) }
  }

  private resolveTag({ value: handle, suffix, line }: Token): string {
    if (handle === '') return suffix
    const prefix = this.handles.get(handle)
    if (prefix === undefined) throw syntaxError('found undefined tag handle', line)
    return prefix + suffix
  }

  private anchored<N extends Node>(node: N, { anchor }: Properties): N {
    if (anchor !== '') this.anchors.set(anchor, node)
    return node
  }

  /**
   * Returns the content of a node; undefined if the node is missing. Recursive for nested collections, with few stack frames per
   * level.
   */
  private content(context: NodeContext, line: number, properties: Properties): Node | Reading | undefined {
    const { type } = this.scanner.peek()
    if (type === 'plain-scalar' || type === 'quoted-scalar' || type === 'block-scalar') return this.scalar(line, properties)
    if (type === 'flow-sequence-start') return this.flowSequence(this.open(sequence(line), properties))
    if (type === 'flow-mapping-start') return this.flowMapping(this.open(mapping(line), properties))
    if (context !== 'flow') {
      if (type === 'block-sequence-start') return this.blockSequence(this.open(sequence(line), properties))
      if (type === 'block-mapping-start') return this.blockMapping(this.open(mapping(line), properties))
    }
    if (context === 'value' && type === 'block-entry') {
      return this.indentlessSequence(this.open(sequence(line), properties))
    }
    const { anchor, tag } = properties
    if (anchor === '' && tag === '') return undefined
    return this.anchored({ kind: 'scalar', line, tag, text: '', implicit: tag === '' }, properties)
  }

  private scalar(line: number, properties: Properties): ScalarNode {
    const { type, value } = this.scanner.next()
    const { tag } = properties
    const implicit = tag === '!' || (tag === '' && type === 'plain-scalar')
    return this.anchored({ kind: 'scalar', line, tag, text: value, implicit }, properties)
  }

  private open<N extends Node>(node: N, properties: Properties): N {
    if (++this.depth > maximumDepth) throw syntaxError(`exceeded max depth of ${maximumDepth}`, node.line)
    return this.anchored(node, properties)
  }

  private close<N extends Node>(node: N): N {
    this.depth--
    return node
  }

  /** Whether a part of a long document is complete. */
  private isPartRead(): boolean {
    return ++this.entries % entriesOfPart === 0
  }

  private *blockSequence(node: SequenceNode): Reading {
    const { scanner } = this
    scanner.next()
    for (let token = scanner.next(); token.type !== 'block-end'; token = scanner.next()) {
      if (token.type !== 'block-entry') throw syntaxError("did not find expected '-' indicator", token.line)
      const begun = this.nodeUnless(afterBlockEntry, 'block', token.line)
      node.items.push(isReading(begun) ? yield* begun : begun)
      if (this.isPartRead()) yield stepsOfPart
    }
    return this.close(node)
  }

  private *indentlessSequence(node: SequenceNode): Reading {
    const { scanner } = this
    while (scanner.peek().type === 'block-entry') {
      const { line } = scanner.next()
      const begun = this.nodeUnless(afterIndentlessEntry, 'block', line)
      node.items.push(isReading(begun) ? yield* begun : begun)
      if (this.isPartRead()) yield stepsOfPart
    }
    return this.close(node)
  }

  private *blockMapping(node: MappingNode): Reading {
    const { scanner } = this
    scanner.next()
    for (let token = scanner.next(); token.type !== 'block-end'; token = scanner.next()) {
      if (token.type !== 'key') throw syntaxError('did not find expected key', token.line)
      const begunKey = this.nodeUnless(afterBlockKey, 'value', token.line)
      const key = isReading(begunKey) ? yield* begunKey : begunKey
      const { type, line } = scanner.peek()
      if (type === 'value') scanner.next()
      const begun = type === 'value' ? this.nodeUnless(afterBlockKey, 'value', line) : emptyNode(line)
      node.entries.push([key, isReading(begun) ? yield* begun : begun])
      if (this.isPartRead()) yield stepsOfPart
    }
    return this.close(node)
  }

  /** Consumes the comma before an entry of a flow collection, or the collection's end. @returns whether it was the end */
  private isAtFlowEnd(end: TokenType, bracket: string, isFirst: boolean): boolean {
    const { scanner } = this
    const { type, line } = scanner.peek()
    if (!isFirst && type !== end) {
      if (type !== 'flow-entry') throw syntaxError(`did not find expected ',' or '${bracket}'`, line)
      scanner.next()
    }
    if (scanner.peek().type !== end) return false
    scanner.next()
    return true
  }

  private *flowMapping(node: MappingNode): Reading {
    const { scanner } = this
    scanner.next()
    for (let isFirst = true; !this.isAtFlowEnd('flow-mapping-end', '}', isFirst); isFirst = false) {
      const hasKey = scanner.peek().type === 'key'
      if (hasKey) scanner.next()
      const begunKey = hasKey ? this.nodeUnless(afterFlowKey, 'flow') : this.node('flow')
      const key = isReading(begunKey) ? yield* begunKey : begunKey
      const begun = hasKey ? this.flowValue(afterFlowValue) : emptyNode(scanner.peek().line)
      node.entries.push([key, isReading(begun) ? yield* begun : begun])
      if (this.isPartRead()) yield stepsOfPart
    }
    return this.close(node)
  }

  private flowValue(absent: ReadonlySet<TokenType>): Node | Reading {
    const { scanner } = this
    const { type, line } = scanner.peek()
    if (type !== 'value') return emptyNode(line)
    scanner.next()
    return this.nodeUnless(absent, 'flow')
  }

  private *flowSequence(node: SequenceNode): Reading {
    const { scanner } = this
    scanner.next()
    for (let isFirst = true; !this.isAtFlowEnd('flow-sequence-end', ']', isFirst); isFirst = false) {
      const { type } = scanner.peek()
      const begun = type === 'key' ? this.pair(mapping(scanner.next().line)) : this.node('flow')
      node.items.push(isReading(begun) ? yield* begun : begun)
      if (this.isPartRead()) yield stepsOfPart
    }
    return this.close(node)
  }

  /** Composes `[a: b]`: a mapping of one entry. If the key is missing, the next token is skipped, as in Go's parser. */
  private *pair(node: MappingNode): Reading {
    const { scanner } = this
    const keyless = afterPairKey.has(scanner.peek().type)
    const begunKey = keyless ? emptyNode(scanner.next().line) : this.node('flow')
    const key = isReading(begunKey) ? yield* begunKey : begunKey
    const begun = this.flowValue(afterPairValue)
    node.entries.push([key, isReading(begun) ? yield* begun : begun])
    return node
  }
}

const sequence = (line: number): SequenceNode => ({ kind: 'sequence', line, items: [] })
const mapping = (line: number): MappingNode => ({ kind: 'mapping', line, entries: [] })

/**
 * Composes the first document and returns its root; undefined if the stream has no document. The rest of the stream is not read.
 * @throws YamlSyntaxError with Go's message
 */
export function* compose(text: string): Parts<Node | undefined> {
  const scanner = new Scanner(text)
  const { source } = scanner
  let root: Node | undefined
  try {
    root = yield* new Composer(scanner).document()
  } catch (error) {
    throw (error instanceof YamlSyntaxError ? source.forbiddenReached() : undefined) ?? error
  }
  const forbidden = source.forbiddenReached()
  if (forbidden !== undefined) throw forbidden
  return root
}
