/** The library of quantities. */
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type SmallQuantity,
  smallQuantity,
  subtractQuantities,
  sumOfSmall,
  wholeOfSmall,
} from '../../meta/quantity.ts'
import { orError, textAt, wholeAt } from '../arguments.ts'
import { declare, global, type Implementation, method } from '../declarations.ts'
import type { Library } from '../library.ts'
import { CelError, Double, intOf, NO_SUCH_OVERLOAD, OpaqueValue, type Value } from '../value.ts'

/** A quantity by its text. */
class QuantityValue extends OpaqueValue {
  readonly typeName = 'kubernetes.Quantity'
  readonly text: string
  /** Whether it was parsed from a text or computed. */
  readonly origin: 'read' | 'computed'
  /** The int64 form; undefined if upstream uses a decimal. */
  readonly small: SmallQuantity | undefined

  constructor(text: string, origin: 'read' | 'computed', small: SmallQuantity | undefined) {
    super()
    this.text = text
    this.origin = origin
    this.small = small
  }

  /** Compares two quantities. As upstream, a sum has another Go type and equals nothing on the right side. */
  equals(other: Value): boolean | CelError {
    if (!(other instanceof QuantityValue) || other.origin === 'computed') return NO_SUCH_OVERLOAD
    return compareQuantities(this.text, other.text) === 0
  }

  show(): string {
    return canonicalQuantity(this.text)
  }
}

const ofOne =
  (compute: (text: string) => Value): Implementation =>
  ([value]) =>
    value instanceof QuantityValue ? orError(() => compute(value.text)) : NO_SUCH_OVERLOAD

/** Adapts a function of two quantities; the second may be an int. */
const ofTwo =
  (compute: (a: string, b: string) => Value): Implementation =>
  (args) => {
    const [a, b] = args
    if (!(a instanceof QuantityValue)) return NO_SUCH_OVERLOAD
    return orError(() => compute(a.text, b instanceof QuantityValue ? b.text : wholeAt(args, 1).toString()))
  }

const toQuantity: Implementation = (args) =>
  orError(() => {
    parseQuantity(textAt(args, 0))
    return new QuantityValue(textAt(args, 0), 'read', smallQuantity(textAt(args, 0)))
  })

const isQuantity: Implementation = (args) => !(orError(() => formatQuantity(parseQuantity(textAt(args, 0)))) instanceof CelError)

function signOf(text: string): number {
  const { negative, digits } = parseQuantity(text)
  return digits === '' ? 0 : negative ? -1 : 1
}

function approximate(text: string): Value {
  const { negative, digits, exponent } = parseQuantity(text)
  return new Double(Number(`${negative ? '-' : ''}${digits || '0'}e${exponent}`))
}

const wholeOf = (value: Value | undefined): bigint | undefined =>
  value instanceof QuantityValue && value.small !== undefined ? wholeOfSmall(value.small) : undefined

const asInteger: Implementation = ([value]) => {
  const whole = wholeOf(value)
  return whole === undefined ? new CelError('cannot convert value to integer') : intOf(whole)
}

/** Adapts addition or subtraction of the texts, and of upstream's int64 forms. */
const combined =
  (compute: (a: string, b: string) => string, sign: 1n | -1n): Implementation =>
  (args) => {
    const [a, b] = args
    if (!(a instanceof QuantityValue)) return NO_SUCH_OVERLOAD
    const text = b instanceof QuantityValue ? b.text : wholeAt(args, 1).toString()
    const small = b instanceof QuantityValue ? b.small : { value: wholeAt(args, 1), scale: 0 }
    const sum = a.small && small && sumOfSmall(a.small, { value: sign * small.value, scale: small.scale })
    return orError(() => new QuantityValue(compute(a.text, text), 'computed', sum))
  }

const sum = combined(addQuantities, 1n)
const difference = combined(subtractQuantities, -1n)

const QUANTITY_TYPE = 'kubernetes.Quantity'
const TWO = `${QUANTITY_TYPE}, ${QUANTITY_TYPE}`

/** Kubernetes' library of quantities. */
export const QUANTITY: Library = {
  functions: [
    declare('quantity', global('string_to_quantity', 'string', QUANTITY_TYPE, toQuantity)),
    declare('isQuantity', global('is_quantity_string', 'string', 'bool', isQuantity)),
    declare('sign', global('quantity_sign', QUANTITY_TYPE, 'int', ofOne(signOf))),
    declare(
      'isGreaterThan',
      method(
        'quantity_is_greater_than',
        TWO,
        'bool',
        ofTwo((a, b) => compareQuantities(a, b) > 0),
      ),
    ),
    declare(
      'isLessThan',
      method(
        'quantity_is_less_than',
        TWO,
        'bool',
        ofTwo((a, b) => compareQuantities(a, b) < 0),
      ),
    ),
    declare('compareTo', method('quantity_compare_to', TWO, 'int', ofTwo(compareQuantities))),
    declare('asApproximateFloat', method('quantity_get_float', QUANTITY_TYPE, 'double', ofOne(approximate))),
    declare('asInteger', method('quantity_get_int', QUANTITY_TYPE, 'int', asInteger)),
    declare(
      'isInteger',
      method('quantity_is_integer', QUANTITY_TYPE, 'bool', ([value]) => wholeOf(value) !== undefined),
    ),
    declare(
      'add',
      method('quantity_add', TWO, QUANTITY_TYPE, sum),
      method('quantity_add_int', `${QUANTITY_TYPE}, int`, QUANTITY_TYPE, sum),
    ),
    declare(
      'sub',
      method('quantity_sub', TWO, QUANTITY_TYPE, difference),
      method('quantity_sub_int', `${QUANTITY_TYPE}, int`, QUANTITY_TYPE, difference),
    ),
  ],
}
