/** The response of create-only subresources, which return no object. */
import type { WriteResult } from '../registry.ts'

/** The Status of a successful create. */
export const created: WriteResult = {
  code: 201,
  text: '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}',
}
