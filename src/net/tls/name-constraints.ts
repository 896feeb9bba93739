/** Checks the names of servers by the name constraints of authorities (RFC 5280, section 4.2.1.10), with crypto/x509's errors. */
import { goQuote } from '../../go/text.ts'
import { formatAddress } from '../address.ts'
import type { Element } from '../der.ts'
import { type Certificate, generalNames, type NameConstraints } from './certificate.ts'

/** A kind of name. Constraints of other kinds, such as email addresses, do not concern servers. */
interface NameKind {
  readonly tag: number
  readonly title: string
  readonly show: (content: Uint8Array) => string
  readonly showConstraint: (content: Uint8Array) => string
  /** Whether a constraint contains a name; a wildcard is excluded by each constraint that it could match. */
  readonly contains: (constraint: Uint8Array, name: Uint8Array, isExcluded: boolean) => boolean
}

const text = (content: Uint8Array): string => Buffer.from(content).toString('latin1')
const showAddress = (bytes: Uint8Array): string => formatAddress({ bytes: [...bytes], zone: '' })

const withoutFirstLabel = (name: string): string => (name.includes('.') ? name.slice(name.indexOf('.')) : '')

function containsName(constraint: Uint8Array, content: Uint8Array, isExcluded: boolean): boolean {
  const [domain, name] = [text(constraint).toLowerCase(), text(content).toLowerCase()]
  if (domain === '' || name === domain || name.endsWith(domain.startsWith('.') ? domain : `.${domain}`)) return true
  return (
    isExcluded && name.startsWith('*') && withoutFirstLabel(name) !== '' && withoutFirstLabel(name) === withoutFirstLabel(domain)
  )
}

/** Splits the content of an address constraint into the address and the mask. */
function networkOf(constraint: Uint8Array): { readonly address: Uint8Array; readonly mask: Uint8Array } {
  const half = constraint.length / 2
  return { address: constraint.subarray(0, half), mask: constraint.subarray(half) }
}

function containsAddress(constraint: Uint8Array, name: Uint8Array): boolean {
  const { address, mask } = networkOf(constraint)
  return (
    address.length === name.length &&
    name.every((byte, at) => (byte & (mask[at] ?? 0)) === ((address[at] ?? 0) & (mask[at] ?? 0)))
  )
}

function showNetwork(constraint: Uint8Array): string {
  const { address, mask } = networkOf(constraint)
  const bits = [...mask].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return `${showAddress(address)}/${bits.lastIndexOf('1') + 1}`
}

/** The kinds in the order of the checks. */
const kinds: readonly NameKind[] = [
  {
    tag: generalNames.address,
    title: 'IP address',
    show: showAddress,
    showConstraint: showNetwork,
    contains: containsAddress,
  },
  { tag: generalNames.dns, title: 'DNS name', show: text, showConstraint: text, contains: containsName },
]

function kindProblem(kind: NameKind, names: readonly Element[], { permitted, excluded }: NameConstraints): string | undefined {
  const ofKind = ({ tag }: Element): boolean => tag === kind.tag
  const [allowed, forbidden] = [permitted.filter(ofKind), excluded.filter(ofKind)]
  for (const { content } of names.filter(ofKind)) {
    const shown = `${kind.title} ${goQuote(kind.show(content))}`
    if (allowed.length > 0 && !allowed.some((constraint) => kind.contains(constraint.content, content, false)))
      return `${shown} is not permitted by any constraint`
    const by = forbidden.find((constraint) => kind.contains(constraint.content, content, true))
    if (by !== undefined) return `${shown} is excluded by constraint ${goQuote(kind.showConstraint(by.content))}`
  }
  return undefined
}

/**
 * Returns the first violation of the constraints of a chain.
 * @param chain the server's certificate first
 */
export function constraintProblem(chain: readonly Certificate[]): string | undefined {
  for (const [at, { names }] of chain.entries())
    for (const { nameConstraints } of chain.slice(at + 1))
      for (const kind of nameConstraints === undefined ? [] : kinds) {
        const problem = nameConstraints && kindProblem(kind, names, nameConstraints)
        if (problem !== undefined) return problem
      }
  return undefined
}
