/** The library of semantic versions. */
import { compareText, goQuote } from '../../go/text.ts'
import { orError, textAt } from '../arguments.ts'
import { declare, global, type Implementation, method } from '../declarations.ts'
import type { Library } from '../library.ts'
import { CelError, intOf, NO_SUCH_OVERLOAD, OpaqueValue, type Value } from '../value.ts'

/** A semantic version. */
export interface Version {
  /** Major, minor and patch. */
  readonly numbers: readonly bigint[]
  /** The identifiers of the pre-release: numbers and texts. */
  readonly release: readonly (bigint | string)[]
  readonly text: string
}

const MAX_UINT64 = 2n ** 64n - 1n

function readUint(digits: string): bigint {
  const quoted = goQuote(digits)
  if (digits === '') throw new Error(`strconv.ParseUint: parsing ${quoted}: invalid syntax`)
  const value = digits.length > 20 ? MAX_UINT64 + 1n : BigInt(digits)
  if (value > MAX_UINT64) throw new Error(`strconv.ParseUint: parsing ${quoted}: value out of range`)
  return value
}

function readNumber(digits: string, name: 'major' | 'minor' | 'patch'): bigint {
  if (!/^\d*$/.test(digits)) throw new Error(`Invalid character(s) found in ${name} number ${goQuote(digits)}`)
  const title = name.charAt(0).toUpperCase() + name.slice(1)
  if (/^0./.test(digits)) throw new Error(`${title} number must not contain leading zeroes ${goQuote(digits)}`)
  return readUint(digits)
}

function readRelease(part: string): bigint | string {
  if (part === '') throw new Error('Prerelease is empty')
  if (/^\d+$/.test(part)) {
    if (/^0./.test(part)) throw new Error(`Numeric PreRelease version must not contain leading zeroes ${goQuote(part)}`)
    return readUint(part)
  }
  if (!/^[A-Za-z0-9-]+$/.test(part)) throw new Error(`Invalid character(s) found in prerelease ${goQuote(part)}`)
  return part
}

function checkBuild(part: string): void {
  if (part === '') throw new Error('Build meta data is empty')
  if (!/^[A-Za-z0-9-]+$/.test(part)) throw new Error(`Invalid character(s) found in build meta data ${goQuote(part)}`)
}

/** Splits at the first mark: the text before it, and the dotted parts behind it. */
function cut(text: string, mark: string): readonly [string, readonly string[]] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, []] : [text.slice(0, at), text.slice(at + 1).split('.')]
}

/** Splits at the first two dots. */
function threeParts(text: string): readonly string[] {
  const [first = '', second, ...rest] = text.split('.')
  if (second === undefined) return [first]
  return rest.length === 0 ? [first, second] : [first, second, rest.join('.')]
}

/** Parses a semantic version as blang/semver does. @throws Error for other texts */
export function parseVersion(text: string): Version {
  if (text === '') throw new Error('Version string empty')
  const [major, minor, last] = threeParts(text)
  if (major === undefined || minor === undefined || last === undefined) throw new Error('No Major.Minor.Patch elements found')
  const front = [readNumber(major, 'major'), readNumber(minor, 'minor')]
  const [withoutBuild, build] = cut(last, '+')
  const [patch, release] = cut(withoutBuild, '-')
  const numbers = [...front, readNumber(patch, 'patch')]
  const parts = release.map(readRelease)
  build.forEach(checkBuild)
  return { numbers, release: parts, text }
}

function withoutZeros(part: string): string {
  if (part.length <= 1) return part
  const digits = part.replace(/^0+/, '')
  return /^\d/.test(digits) ? digits : `0${digits}`
}

/** Parses a version that may lack parts, have leading zeros, and begin with `v`. */
function parseLoosely(text: string): Version {
  const parts = threeParts(text.startsWith('v') ? text.slice(1) : text).map(withoutZeros)
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? ''))
    throw new Error('short version cannot contain PreRelease/Build meta data')
  while (parts.length < 3) parts.push('0')
  return parseVersion(parts.join('.'))
}

function comparePart(a: bigint | string, b: bigint | string): number {
  if (typeof a !== typeof b) return typeof a === 'bigint' ? -1 : 1
  if (typeof a === 'string' && typeof b === 'string') return Math.sign(compareText(a, b))
  return a < b ? -1 : a > b ? 1 : 0
}

function compareLists(a: readonly (bigint | string)[], b: readonly (bigint | string)[]): number {
  for (const [i, part] of a.entries()) {
    const other = b[i]
    const order = other === undefined ? 1 : comparePart(part, other)
    if (order !== 0) return order
  }
  return a.length < b.length ? -1 : 0
}

/** Returns -1, 0 or 1 by the precedence of two versions. A release is higher than its pre-releases. */
export function compareVersions(a: Version, b: Version): number {
  const order = compareLists(a.numbers, b.numbers)
  if (order !== 0) return order
  if (a.release.length === 0 || b.release.length === 0) return Math.sign(b.release.length - a.release.length)
  return compareLists(a.release, b.release)
}

class SemverValue extends OpaqueValue {
  readonly typeName = 'kubernetes.Semver'
  readonly version: Version

  constructor(version: Version) {
    super()
    this.version = version
  }

  equals(other: Value): boolean | CelError {
    return other instanceof SemverValue ? compareVersions(this.version, other.version) === 0 : NO_SUCH_OVERLOAD
  }

  show(): string {
    return this.version.text
  }
}

const toSemver: Implementation = (args) =>
  orError(() => new SemverValue((args[1] === true ? parseLoosely : parseVersion)(textAt(args, 0))))

const isSemver: Implementation = (args) => !(toSemver(args) instanceof CelError)

const number =
  (index: number): Implementation =>
  ([value]) =>
    value instanceof SemverValue ? intOf(BigInt.asIntN(64, value.version.numbers[index] ?? 0n)) : NO_SUCH_OVERLOAD

const ofTwo =
  (compute: (order: number) => Value): Implementation =>
  ([a, b]) =>
    a instanceof SemverValue && b instanceof SemverValue ? compute(compareVersions(a.version, b.version)) : NO_SUCH_OVERLOAD

const SEMVER_TYPE = 'kubernetes.Semver'
const TWO = `${SEMVER_TYPE}, ${SEMVER_TYPE}`

/** Kubernetes' library of semantic versions. */
export const SEMVER: Library = {
  functions: [
    declare(
      'semver',
      global('string_to_semver', 'string', SEMVER_TYPE, toSemver),
      global('string_bool_to_semver', 'string, bool', SEMVER_TYPE, toSemver),
    ),
    declare(
      'isSemver',
      global('is_semver_string', 'string', 'bool', isSemver),
      global('is_semver_string_bool', 'string, bool', 'bool', isSemver),
    ),
    declare(
      'isGreaterThan',
      method(
        'semver_is_greater_than',
        TWO,
        'bool',
        ofTwo((order) => order > 0),
      ),
    ),
    declare(
      'isLessThan',
      method(
        'semver_is_less_than',
        TWO,
        'bool',
        ofTwo((order) => order < 0),
      ),
    ),
    declare(
      'compareTo',
      method(
        'semver_compare_to',
        TWO,
        'int',
        ofTwo((order) => order),
      ),
    ),
    declare('major', method('semver_major', SEMVER_TYPE, 'int', number(0))),
    declare('minor', method('semver_minor', SEMVER_TYPE, 'int', number(1))),
    declare('patch', method('semver_patch', SEMVER_TYPE, 'int', number(2))),
  ],
}
