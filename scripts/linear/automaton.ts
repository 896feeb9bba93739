/** The automaton of a regular expression of JavaScript, as a backtracking search walks through it. */
import { type AST, RegExpParser } from '@eslint-community/regexpp'

/**
 * An edge without a character. The search may pass `sure` whenever it comes there, `unsure` only if a condition holds, `start` and
 * `end` only at the start and the end of the text.
 */
type Passage = 'sure' | 'unsure' | 'start' | 'end'

interface Edge {
  readonly to: number
  readonly passage: Passage
}

/** A place in the expression that consumes one character. */
export interface Position {
  /** The part of the expression, for messages. */
  readonly raw: string
  /** For each character of the alphabet, whether it is consumed. */
  readonly accepts: readonly boolean[]
  /** The node after it. */
  readonly after: number
}

/** Positions are nodes, too: `positionAt` has the position that begins at a node. */
export interface Automaton {
  readonly positions: readonly Position[]
  readonly positionAt: ReadonlyMap<number, number>
  readonly edges: readonly (readonly Edge[])[]
  readonly start: number
  readonly final: number
}

/** Characters that stand for all others: every expression treats most characters like one of them. */
const characters: readonly string[] = [
  ...Array.from({ length: 128 }, (_none, code) => String.fromCharCode(code)),
  ...[
    '\u00a0',
    '\u00b5',
    '\u00e9',
    '\u0130',
    '\u017f',
    '\u03a9',
    '\u0660',
    '\u2028',
    '\u212a',
    '\u4e2d',
    '\u00ac',
    '\ud800',
    '\ufeff',
  ],
]

/** Counts above this are as bad as no bound; between two counts below it, the cost differs by a constant factor. */
const mostRepetitions = 40
/** The number of copies of a repeated part that show whether they can be confused. */
const mostCopies = 2

class Builder {
  readonly positions: Position[] = []
  readonly positionAt = new Map<number, number>()
  readonly edges: Edge[][] = []
  /** The contents of lookarounds, which are searched at each place that the expression reaches. */
  readonly inner: { readonly alternatives: readonly AST.Alternative[]; readonly isAnchored: boolean }[] = []
  readonly #flags: string
  readonly #alphabet: readonly string[]

  constructor(flags: string) {
    this.#flags = flags.replace(/[gyd]/g, '')
    // Without these flags, the two halves of a surrogate pair are characters.
    this.#alphabet = /[uv]/.test(flags) ? [...characters, '\u{1f600}'] : characters
  }

  node(): number {
    return this.edges.push([]) - 1
  }

  link(from: number, to: number, passage: Passage = 'sure'): void {
    this.edges[from]?.push({ to, passage })
  }

  /** Adds a position that consumes what the expression `raw` matches; of an empty expression, everything. */
  position(from: number, raw: string, only?: string): number {
    const test = new RegExp(`^(?:${only ?? raw})$`, this.#flags.replace('m', ''))
    const after = this.node()
    this.positionAt.set(from, this.positions.length)
    this.positions.push({ raw, accepts: this.#alphabet.map((character) => test.test(character)), after })
    return after
  }

  alternatives(alternatives: readonly AST.Alternative[], from: number): number {
    const end = this.node()
    for (const alternative of alternatives) {
      const begin = this.node()
      this.link(from, begin)
      this.link(this.elements(alternative.elements, begin), end)
    }
    return end
  }

  elements(elements: readonly AST.Element[], from: number): number {
    let at = from
    for (const [i, element] of elements.entries()) {
      if (element.type === 'Assertion' && 'alternatives' in element) {
        const before = elements.slice(0, i)
        const isAnchored = isTextStart(before[0]) && !before.some(({ type }) => varying.has(type)) && !this.#flags.includes('m')
        this.inner.push({ alternatives: element.alternatives, isAnchored })
      }
      at = this.#element(element, at)
    }
    return at
  }

  #element(element: AST.Element, from: number): number {
    switch (element.type) {
      case 'Group':
      case 'CapturingGroup':
        return this.alternatives(element.alternatives, from)
      case 'Quantifier':
        return this.#quantifier(element, from)
      case 'Assertion':
        return this.#passing(from, this.#passageOf(element))
      case 'Backreference':
        return this.#passing(
          this.alternatives(
            [element.resolved].flat().flatMap(({ alternatives }) => alternatives),
            from,
          ),
          'unsure',
        )
      default: {
        const begin = this.node()
        this.link(from, begin)
        return this.position(begin, element.raw)
      }
    }
  }

  #passageOf({ kind }: AST.Assertion): Passage {
    return (kind === 'start' || kind === 'end') && !this.#flags.includes('m') ? kind : 'unsure'
  }

  #passing(from: number, passage: Passage): number {
    const to = this.node()
    this.link(from, to, passage)
    return to
  }

  /** A loop is entered and repeated at two nodes: a walk that comes to the second twice has repeated without a character. */
  #repeated(from: number, once: (begin: number) => number, exit: Passage): number {
    const [entry, again, begin, end] = [this.node(), this.node(), this.node(), this.node()]
    this.link(from, entry)
    this.link(once(begin), again)
    for (const node of [entry, again]) {
      this.link(node, begin)
      this.link(node, end, exit)
    }
    return end
  }

  #quantifier({ min, max, element }: AST.Quantifier, from: number): number {
    const once = (begin: number): number => this.elements([element as AST.Element], begin)
    let at = from
    for (let copy = 0; copy < Math.min(min, mostCopies); copy++) at = once(this.#passing(at, 'sure'))
    if (max > mostRepetitions) return this.#repeated(at, once, min > mostRepetitions ? 'unsure' : 'sure')
    const end = this.node()
    this.link(at, end)
    for (let copy = 0; copy < Math.min(max - min, mostCopies); copy++) {
      at = once(this.#passing(at, 'sure'))
      this.link(at, end)
    }
    return end
  }
}

/** The elements of which a text may pass more than one character. */
const varying: ReadonlySet<AST.Element['type']> = new Set(['Quantifier', 'Group', 'CapturingGroup', 'Backreference'])

const isTextStart = (element: AST.Element | undefined): boolean => element?.type === 'Assertion' && element.kind === 'start'

/** Builds the automaton of alternatives. An unanchored search tries each place of the text: it begins with a loop. */
function automatonOf(
  alternatives: readonly AST.Alternative[],
  flags: string,
  isSticky: boolean,
): { readonly automaton: Automaton; readonly inner: Builder['inner'] } {
  const builder = new Builder(flags)
  const [start, later, afterLine] = [builder.node(), builder.node(), builder.node()]
  const loop = builder.node()
  builder.link(start, loop)
  const again = builder.position(loop, '(next place)', '[^]')
  builder.link(again, loop)
  builder.link(again, later)
  const line = builder.node()
  builder.link(start, line)
  builder.link(again, line)
  builder.link(builder.position(line, '(next line)', '[\\n\\r\\u2028]'), afterLine)
  const final = builder.node()
  for (const alternative of alternatives) {
    const begin = builder.node()
    builder.link(start, begin)
    const atLine = flags.includes('m') && isTextStart(alternative.elements[0])
    if (!isSticky) builder.link(atLine ? afterLine : later, begin)
    builder.link(builder.elements(alternative.elements.slice(atLine ? 1 : 0), begin), final)
  }
  const { positions, positionAt, edges, inner } = builder
  return { automaton: { positions, positionAt, edges, start, final }, inner }
}

/** Returns the automata of an expression: its own, and those of its lookarounds. */
export function automataOf(source: string, flags: string): Automaton[] {
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  })
  const automata: Automaton[] = []
  const pending = [{ alternatives: pattern.alternatives as readonly AST.Alternative[], isAnchored: flags.includes('y') }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { automaton, inner } = automatonOf(next.alternatives, flags, next.isAnchored)
    automata.push(automaton)
    pending.push(...inner)
  }
  return automata
}
