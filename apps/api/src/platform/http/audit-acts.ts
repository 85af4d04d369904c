import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AuditRecord } from '../database/audit.ts'
import { addressGroup, type ClientAddressOf } from './client-address.ts'
import { createFailureSampling } from './failure-sampling.ts'

const READING = ['GET', 'HEAD', 'OPTIONS']

/**
 * Writes a line of the audit log before an administrator does anything, so that no act is without one, and another one
 * when it failed; what a token is refused is sampled like failed sign-ins. Stops the start for a route of theirs that changes something and does not say what.
 */
export function auditActs(
  app: FastifyInstance,
  deps: { record: (record: AuditRecord) => Promise<void>; addressOf: ClientAddressOf },
): void {
  const sampleRefusal = createFailureSampling()
  app.addHook('onRoute', ({ config, method, url }) => {
    const isActing = [method].flat().some((verb) => !READING.includes(verb))
    if (config?.access === 'admin' && isActing && config.audit === undefined) {
      throw new Error(`${String(method)} ${url} does not say what the audit log calls it`)
    }
  })
  app.addHook('preHandler', async (request) => {
    const record = recordOf(request)
    if (record !== null) await deps.record({ ...record, outcome: 'begun' })
  })
  app.addHook('onError', async (request, _reply, error) => {
    const code = 'code' in error ? String(error.code) : 'internal_error'
    const isRefusedToken = tokenRefusals.includes(code)
    const record = recordOf(request, { isRefusedToken })
    if (record === null) return
    const { action, address } = record
    const account = request.principal?.credentialId ?? null
    const attempts = isRefusedToken ? sampleRefusal({ action, account, addressGroup: addressGroup(address ?? '') }) : 1
    if (attempts === null) return
    const detail = { ...record.detail, error: code, ...(attempts === 1 ? {} : { attempts }) }
    await deps
      .record({ ...record, outcome: 'failed', detail })
      .catch((failure: unknown) => request.log.warn({ err: failure }, 'a line of the audit log could not be written'))
  })

  function recordOf(request: FastifyRequest, { isRefusedToken = false } = {}): AuditRecord | null {
    const { principal } = request
    const action = nameOf(request, isRefusedToken)
    if (principal === null || action === null) return null
    const { id, ...rest } = (request.params ?? {}) as Record<string, string>
    return {
      action,
      actorId: principal.user.id,
      address: deps.addressOf(request),
      via: principal.via,
      subjectId: id ?? Object.values(rest)[0] ?? null,
      detail: {},
    }
  }
}

/** Errors that refuse API tokens before a route starts, so that the route writes no audit line. */
const tokenRefusals = ['token_not_allowed', 'scope_missing']

/** Action name in the audit log; null for actions that aren't logged. */
function nameOf(
  { method, routeOptions }: Pick<FastifyRequest, 'method' | 'routeOptions'>,
  isRefusedToken: boolean,
): AuditRecord['action'] | null {
  const { audit, sessionOnly } = routeOptions.config
  if (isRefusedToken && (audit === false || sessionOnly === true)) {
    return audit || `${method} /${(routeOptions.url ?? '').slice(1)}`
  }
  return audit || null
}
