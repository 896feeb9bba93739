/** The library of IP addresses and CIDR ranges. */
import { goQuote } from '../../go/text.ts'
import {
  type Address,
  formatAddress,
  isMapped,
  masked,
  type Prefix,
  parseAddress,
  parsePrefix,
  sharesBits,
} from '../../net/address.ts'
import { orError, textAt } from '../arguments.ts'
import { declare, global, type Implementation, method } from '../declarations.ts'
import type { Library } from '../library.ts'
import { opaqueType } from '../types.ts'
import { CelError, NO_SUCH_OVERLOAD, OpaqueValue, type Value } from '../value.ts'

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Parses an address. Zones and IPv4-mapped IPv6 addresses are refused. */
function readAddress(text: string): Address {
  let address: Address
  try {
    address = parseAddress(text)
  } catch (error) {
    throw new Error(`IP Address ${goQuote(text)} parse error during conversion from string: ${messageOf(error)}`)
  }
  if (address.zone !== '') throw new Error(`IP address ${goQuote(text)} with zone value is not allowed`)
  if (isMapped(address)) throw new Error(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`)
  return address
}

function readPrefix(text: string): Prefix {
  let prefix: Prefix
  try {
    prefix = parsePrefix(text)
  } catch (error) {
    throw new Error(`network address parse error during conversion from string: ${messageOf(error)}`)
  }
  if (isMapped(prefix.address)) throw new Error(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`)
  return prefix
}

class IpValue extends OpaqueValue {
  readonly typeName = 'net.IP'
  readonly address: Address

  constructor(address: Address) {
    super()
    this.address = address
  }

  override get size(): number {
    return this.address.bytes.length
  }

  equals(other: Value): boolean | CelError {
    return other instanceof IpValue ? formatAddress(this.address) === formatAddress(other.address) : NO_SUCH_OVERLOAD
  }

  show(): string {
    return formatAddress(this.address)
  }
}

class CidrValue extends OpaqueValue {
  readonly typeName = 'net.CIDR'
  readonly prefix: Prefix

  constructor(prefix: Prefix) {
    super()
    this.prefix = prefix
  }

  override get size(): number {
    return Math.ceil(this.prefix.bits / 8)
  }

  equals(other: Value): boolean | CelError {
    return other instanceof CidrValue ? this.show() === other.show() : NO_SUCH_OVERLOAD
  }

  show(): string {
    return `${formatAddress(this.prefix.address)}/${this.prefix.bits}`
  }
}

/** Adapts a function of an address. */
const ofIp =
  (compute: (address: Address) => Value): Implementation =>
  ([ip]) =>
    ip instanceof IpValue ? compute(ip.address) : NO_SUCH_OVERLOAD

const ofCidr =
  (compute: (prefix: Prefix, other: Value) => Value): Implementation =>
  ([cidr, other = null]) =>
    cidr instanceof CidrValue ? compute(cidr.prefix, other) : NO_SUCH_OVERLOAD

const succeeds = (compute: () => unknown): boolean => {
  try {
    compute()
    return true
  } catch {
    return false
  }
}

const isFour = ({ bytes }: Address): boolean => bytes.length === 4

/** Makes a test on the first bytes of an address of either family. */
const begins =
  (four: (bytes: readonly number[]) => boolean, sixteen: (bytes: readonly number[]) => boolean) =>
  (address: Address): boolean =>
    isFour(address) ? four(address.bytes) : sixteen(address.bytes)

const isUnspecified = ({ bytes }: Address): boolean => bytes.every((byte) => byte === 0)
const isOne = (bytes: readonly number[]): boolean => bytes.every((byte, i) => byte === (i === 15 ? 1 : 0))
const isLoopback = begins(([a]) => a === 127, isOne)
const isMulticast = begins(
  ([a = 0]) => (a & 0xf0) === 0xe0,
  ([a]) => a === 0xff,
)
const isLinkLocalMulticast = begins(
  ([a, b, c]) => a === 224 && b === 0 && c === 0,
  ([a, b = 0]) => a === 0xff && (b & 0x0f) === 0x02,
)
const isLinkLocalUnicast = begins(
  ([a, b]) => a === 169 && b === 254,
  ([a, b = 0]) => a === 0xfe && (b & 0xc0) === 0x80,
)
const isBroadcast = (address: Address): boolean => isFour(address) && address.bytes.every((byte) => byte === 255)

function isGlobalUnicast(address: Address): boolean {
  return ![isUnspecified, isLoopback, isMulticast, isLinkLocalUnicast, isBroadcast].some((test) => test(address))
}

/** Kubernetes' library of IP addresses. */
export const IP: Library = {
  types: [opaqueType('net.IP')],
  functions: [
    declare(
      'ip',
      global('string_to_ip', 'string', 'net.IP', (args) => orError(() => new IpValue(readAddress(textAt(args, 0))))),
    ),
    declare(
      'family',
      method(
        'ip_family',
        'net.IP',
        'int',
        ofIp((address) => (isFour(address) ? 4 : 6)),
      ),
    ),
    declare(
      'ip.isCanonical',
      global('ip_is_canonical', 'string', 'bool', (args) =>
        orError(() => formatAddress(readAddress(textAt(args, 0))) === textAt(args, 0)),
      ),
    ),
    declare('isUnspecified', method('ip_is_unspecified', 'net.IP', 'bool', ofIp(isUnspecified))),
    declare('isLoopback', method('ip_is_loopback', 'net.IP', 'bool', ofIp(isLoopback))),
    declare('isLinkLocalMulticast', method('ip_is_link_local_multicast', 'net.IP', 'bool', ofIp(isLinkLocalMulticast))),
    declare('isLinkLocalUnicast', method('ip_is_link_local_unicast', 'net.IP', 'bool', ofIp(isLinkLocalUnicast))),
    declare('isGlobalUnicast', method('ip_is_global_unicast', 'net.IP', 'bool', ofIp(isGlobalUnicast))),
    declare(
      'isIP',
      global('is_ip', 'string', 'bool', (args) => succeeds(() => readAddress(textAt(args, 0)))),
    ),
    declare('string', global('ip_to_string', 'net.IP', 'string', ofIp(formatAddress))),
  ],
}

function toCidr(text: string): Value {
  const cidr = orError(() => new CidrValue(readPrefix(text)))
  return cidr instanceof CelError
    ? new CelError(`network address parse error during conversion from string: ${cidr.message}`)
    : cidr
}

function containsIp(prefix: Prefix, other: Value): Value {
  return other instanceof IpValue ? sharesBits(prefix.address, other.address, prefix.bits) : NO_SUCH_OVERLOAD
}

function containsCidr(prefix: Prefix, other: Value): Value {
  if (other instanceof CelError) return other
  if (!(other instanceof CidrValue)) return NO_SUCH_OVERLOAD
  return prefix.bits <= other.prefix.bits && sharesBits(prefix.address, other.prefix.address, prefix.bits)
}

const text = (value: Value): string => (typeof value === 'string' ? value : '')

/** Kubernetes' library of CIDR ranges. */
export const CIDR: Library = {
  types: [opaqueType('net.CIDR')],
  functions: [
    declare(
      'cidr',
      global('string_to_cidr', 'string', 'net.CIDR', (args) => toCidr(textAt(args, 0))),
    ),
    declare(
      'containsIP',
      method(
        'cidr_contains_ip_string',
        'net.CIDR, string',
        'bool',
        ofCidr((prefix, other) =>
          containsIp(
            prefix,
            orError(() => new IpValue(readAddress(text(other)))),
          ),
        ),
      ),
      method('cidr_contains_ip_ip', 'net.CIDR, net.IP', 'bool', ofCidr(containsIp)),
    ),
    declare(
      'containsCIDR',
      method(
        'cidr_contains_cidr_string',
        'net.CIDR, string',
        'bool',
        ofCidr((prefix, other) => containsCidr(prefix, toCidr(text(other)))),
      ),
      method('cidr_contains_cidr', 'net.CIDR, net.CIDR', 'bool', ofCidr(containsCidr)),
    ),
    declare(
      'ip',
      method(
        'cidr_ip',
        'net.CIDR',
        'net.IP',
        ofCidr(({ address }) => new IpValue(address)),
      ),
    ),
    declare(
      'prefixLength',
      method(
        'cidr_prefix_length',
        'net.CIDR',
        'int',
        ofCidr(({ bits }) => bits),
      ),
    ),
    declare(
      'masked',
      method(
        'cidr_masked',
        'net.CIDR',
        'net.CIDR',
        ofCidr((prefix) => new CidrValue(masked(prefix))),
      ),
    ),
    declare(
      'isCIDR',
      global('is_cidr', 'string', 'bool', (args) => succeeds(() => readPrefix(textAt(args, 0)))),
    ),
    declare(
      'string',
      global(
        'cidr_to_string',
        'net.CIDR',
        'string',
        ofCidr((prefix) => new CidrValue(prefix).show()),
      ),
    ),
  ],
}
