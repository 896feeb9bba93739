/** Why a conversion did not come about, in upstream's words. */
import { ApiError } from '../../meta/errors.ts'

/** A conversion that failed. `about: 'of kind'`: the message goes on behind what was to be converted. */
export class ConversionFailure extends Error {
  readonly about: 'itself' | 'of kind'

  constructor(message: string, about: 'itself' | 'of kind' = 'itself') {
    super(message)
    this.about = about
  }
}

/** The call itself, or its answer as a whole, is no good. */
export const callFailed = (why: string): ConversionFailure => new ConversionFailure(`failed: ${why}`, 'of kind')

/**
 * 500 as clients see it.
 * @param subject `example.com/v1, Kind=Host`: what was to be converted
 */
export function failureError({ message, about }: ConversionFailure, subject: string): ApiError {
  return new ApiError(500, '', about === 'itself' ? message : `conversion webhook for ${subject} ${message}`)
}
