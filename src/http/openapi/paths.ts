/** The paths of OpenAPI in the list at /. */
export const openApiPaths: readonly string[] = ['/openapi/v2', '/openapi/v3', '/openapi/v3/']
