/** What a YAML document becomes when its aliases are followed: small ones unfold into gigabytes. Follows go.yaml.in/yaml/v2. */
import { EVENT_ID, type Event } from 'js-yaml'

/** The most text that aliases may add up to, in characters: more than any body may have. */
const mostText = 16 * 1024 * 1024

/** A node with all that is below it, aliases followed. */
interface Size {
  nodes: number
  /** Of these, the ones that stand below an alias. */
  aliased: number
  text: number
}

interface Frame extends Size {
  readonly anchor: string | undefined
}

/** The share of nodes that may stand below aliases: nearly all of a small document, a tenth of a large one. */
function allowedShare(nodes: number): number {
  const [low, high] = [400_000, 4_000_000]
  if (nodes <= low) return 0.99
  if (nodes >= high) return 0.1
  return 0.99 - (0.89 * (nodes - low)) / (high - low)
}

const isExcessive = ({ nodes, aliased, text }: Size): boolean =>
  (aliased > 100 && nodes > 1000 && aliased / nodes > allowedShare(nodes)) || (aliased > 0 && text > mostText)

/** Adds up one document. */
class Unfolding {
  private readonly source: string
  private readonly frames: Frame[] = [{ nodes: 0, aliased: 0, text: 0, anchor: undefined }]
  private readonly anchored = new Map<string, Size>()

  constructor(source: string) {
    this.source = source
  }

  /** What is wrong so far; undefined where nothing is. */
  visit(event: Event): string | undefined {
    if (event.type === EVENT_ID.POP) return this.close()
    const anchor =
      event.type !== EVENT_ID.DOCUMENT && event.anchorStart >= 0
        ? this.source.slice(event.anchorStart, event.anchorEnd)
        : undefined
    if (event.type === EVENT_ID.ALIAS) return this.follow(anchor ?? '')
    if (event.type !== EVENT_ID.SCALAR) {
      this.frames.push({ nodes: 1, aliased: 0, text: 0, anchor })
      return undefined
    }
    const size = { nodes: 1, aliased: 0, text: event.valueEnd - event.valueStart }
    if (anchor !== undefined) this.anchored.set(anchor, size)
    return this.add(size)
  }

  private close(): string | undefined {
    const { anchor, ...size } = this.frames.pop() ?? { nodes: 0, aliased: 0, text: 0, anchor: undefined }
    if (anchor !== undefined) this.anchored.set(anchor, size)
    return this.add(size)
  }

  private follow(anchor: string): string | undefined {
    if (this.frames.some((frame) => frame.anchor === anchor)) return `anchor '${anchor}' value contains itself`
    const { nodes, text } = this.anchored.get(anchor) ?? { nodes: 1, text: 0 }
    return this.add({ nodes, aliased: nodes, text })
  }

  private add({ nodes, aliased, text }: Size): string | undefined {
    const around = this.frames.at(-1)
    if (around === undefined) return undefined
    around.nodes += nodes
    around.aliased += aliased
    around.text += text
    return isExcessive(around) ? 'document contains excessive aliasing' : undefined
  }
}

/** What is wrong with the aliases of a document, in the words of Go's reader; undefined where nothing is. */
export function aliasError(events: readonly Event[], source: string): string | undefined {
  const unfolding = new Unfolding(source)
  for (const event of events) {
    const error = unfolding.visit(event)
    if (error !== undefined) return error
  }
  return undefined
}
