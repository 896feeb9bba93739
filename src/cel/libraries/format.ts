/** The library of named formats. */

import { parseTime } from '../../go/time.ts'
import { isLabelValue, isQualifiedName, nameIsDns1035Label, nameIsDnsLabel, nameIsDnsSubdomain } from '../../meta/names.ts'
import { checkRequestUri } from '../../net/url.ts'
import { textAt } from '../arguments.ts'
import { ArrayList } from '../collections.ts'
import { declare, type FunctionDeclaration, global, type Implementation, method } from '../declarations.ts'
import type { Library } from '../library.ts'
import { type CelError, NO_SUCH_OVERLOAD, NONE, OpaqueValue, OptionalValue, type Value } from '../value.ts'

class FormatValue extends OpaqueValue {
  readonly typeName = 'kubernetes.NamedFormat'
  readonly name: string
  /** Returns the violations of a text. */
  readonly check: (text: string) => readonly string[]
  /** The length of an equivalent regular expression, which determines the cost. */
  readonly maxRegexSize: number

  constructor(name: string, maxRegexSize: number, check: (text: string) => readonly string[]) {
    super()
    this.name = name
    this.maxRegexSize = maxRegexSize
    this.check = check
  }

  equals(other: Value): boolean | CelError {
    return other instanceof FormatValue ? this.name === other.name : NO_SUCH_OVERLOAD
  }

  show(): string {
    return this.name
  }
}

/** Makes a check with a single violation message. */
const test =
  (isGood: (text: string) => boolean, complaint: string) =>
  (text: string): readonly string[] =>
    isGood(text) ? [] : [complaint]

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/

function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  try {
    parseTime(`${text}T00:00:00Z`)
    return true
  } catch {
    return false
  }
}

/** Whether strfmt accepts the text as date-time: a date and, after the first `t`, a time. */
function isDateTime(text: string): boolean {
  const [date = '', time = ''] = text.toLowerCase().split('t')
  const parts = /^(\d\d):(\d\d):(\d\d)(?:.\d+)?(?:z|[+-]\d\d:\d\d)$/.exec(time)
  if (parts === null || !isDate(date)) return false
  const [, hours = '', minutes = '', seconds = ''] = parts
  return hours <= '23' && minutes <= '59' && seconds <= '59'
}

function uriProblems(text: string): readonly string[] {
  try {
    checkRequestUri(text)
    return []
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

const FORMATS: Readonly<Record<string, FormatValue>> = {
  dns1123Label: new FormatValue('DNS1123Label', 30, (text) => nameIsDnsLabel(text, false)),
  dns1123Subdomain: new FormatValue('DNS1123Subdomain', 60, (text) => nameIsDnsSubdomain(text, false)),
  dns1035Label: new FormatValue('DNS1035Label', 30, (text) => nameIsDns1035Label(text, false)),
  qualifiedName: new FormatValue('QualifiedName', 60, isQualifiedName),
  dns1123LabelPrefix: new FormatValue('DNS1123LabelPrefix', 30, (text) => nameIsDnsLabel(text, true)),
  dns1123SubdomainPrefix: new FormatValue('DNS1123SubdomainPrefix', 60, (text) => nameIsDnsSubdomain(text, true)),
  dns1035LabelPrefix: new FormatValue('DNS1035LabelPrefix', 30, (text) => nameIsDns1035Label(text, true)),
  labelValue: new FormatValue('LabelValue', 40, isLabelValue),
  uri: new FormatValue('URI', 1103, uriProblems),
  uuid: new FormatValue(
    'uuid',
    70,
    test((text) => UUID.test(text), 'does not match the UUID format'),
  ),
  byte: new FormatValue(
    'byte',
    84,
    test((text) => BASE64.test(text), 'invalid base64'),
  ),
  date: new FormatValue('date', 71, test(isDate, 'invalid date')),
  datetime: new FormatValue('datetime', 71, test(isDateTime, 'invalid datetime')),
}

const FORMAT_TYPE = 'kubernetes.NamedFormat'

const named: Implementation = (args) => {
  const name = textAt(args, 0)
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined
  return format === undefined ? NONE : new OptionalValue(format)
}

const validate: Implementation = (args) => {
  const [format] = args
  if (!(format instanceof FormatValue)) return NO_SUCH_OVERLOAD
  const problems = format.check(textAt(args, 1))
  return problems.length === 0 ? NONE : new OptionalValue(new ArrayList(problems))
}

/** Kubernetes' library of formats. */
export const FORMAT: Library = {
  functions: [
    declare('validate', method('format-validate', `${FORMAT_TYPE}, string`, 'optional_type(list(string))', validate)),
    declare('format.named', global('format-named', 'string', `optional_type(${FORMAT_TYPE})`, named)),
    ...Object.entries(FORMATS).map(
      ([name, format]): FunctionDeclaration =>
        declare(
          `format.${name}`,
          global(`format.${name}`, '', FORMAT_TYPE, () => format),
        ),
    ),
  ],
}
