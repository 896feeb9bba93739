/** Formats floating-point numbers as Go's strconv.FormatFloat does: the shortest digits in the `g` format. */

const notFinite = (value: number): string => (Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf')

/** @param scientific the shortest digits from `toExponential`; Go uses an exponent below 1e-4 and from 1e6 on */
function general(scientific: string): string {
  const [mantissa = '', exponentText = '0'] = scientific.split('e')
  const exponent = Number(exponentText)
  if (exponent >= -4 && exponent < 6) return Object.is(Number(scientific), -0) ? '-0' : String(Number(scientific))
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}

const signed = (value: number, digits: string): string => (Object.is(value, -0) ? `-${digits}` : digits)

/** Formats a float64: `1.5`, `1e+06`, `+Inf`. */
export function shortestFloat(value: number): string {
  return Number.isFinite(value) ? general(signed(value, value.toExponential())) : notFinite(value)
}

/** Formats a float64 as a key, as sigs.k8s.io/yaml does: rounded to a float32, with YAML's `.inf` and `.nan`. */
export function floatKey(value: number): string {
  const single = Math.fround(value)
  if (Number.isNaN(single)) return '.nan'
  if (!Number.isFinite(single)) return single > 0 ? '.inf' : '-.inf'
  for (let digits = 0; digits < 9; digits++) {
    const text = single.toExponential(digits)
    if (Math.fround(Number(text)) === single) return general(signed(value, text))
  }
  return general(single.toExponential())
}
