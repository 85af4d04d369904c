import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'

const HEADER =
  '// Written from the API’s document (UPDATE_CLIENT=1 npx playwright test e2e/command-line.spec.ts -g typed), not by hand.\n'

interface Operation {
  responses: Record<string, unknown>
}

/** Parts of an OpenAPI document that matter here. */
export interface ApiDocument extends Record<string, unknown> {
  paths: Record<string, Record<string, Operation>>
  components?: Record<string, unknown>
}

/** Types of every call of the API, as packages/client/src/api-types.d.ts; its failures are left out, the client throws them. */
export async function clientTypes(document: ApiDocument): Promise<string> {
  const { responses: _failures, ...components } = document.components ?? {}
  const paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [
      path,
      Object.fromEntries(Object.entries(item).map(([method, operation]) => [method, withoutFailures(operation)])),
    ]),
  )
  const wanted = { ...document, components, paths } as unknown as OpenAPI3
  return HEADER + astToString(await openapiTS(wanted, { alphabetize: true }))
}

function withoutFailures({ responses, ...operation }: Operation): Operation {
  const kept = Object.entries(responses).filter(([status]) => status.startsWith('2') || status.startsWith('3'))
  return { ...operation, responses: Object.fromEntries(kept) }
}
