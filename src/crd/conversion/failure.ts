/** Conversion errors, in upstream's words. */
import { ApiError } from '../../meta/errors.ts'

/** A failed conversion. `about: 'of kind'`: the message continues a prefix that names the converted kind. */
export class ConversionFailure extends Error {
  readonly about: 'itself' | 'of kind'

  constructor(message: string, about: 'itself' | 'of kind' = 'itself') {
    super(message)
    this.about = about
  }
}

/** Returns the failure of a call, or of its response as a whole. */
export const callFailed = (why: string): ConversionFailure => new ConversionFailure(`failed: ${why}`, 'of kind')

/**
 * Returns the 500 error for clients.
 * @param subject the converted kind: `example.com/v1, Kind=Host`
 */
export function failureError({ message, about }: ConversionFailure, subject: string): ApiError {
  return new ApiError(500, '', about === 'itself' ? message : `conversion webhook for ${subject} ${message}`)
}
