import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AuditRecord } from '../database/audit.ts'
import { addressGroup, type ClientAddressOf } from './client-address.ts'
import { createFailureSampling } from './failure-sampling.ts'

const READ_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * Writes an audit entry before an administrator's action, so that no action lacks an entry, and another one if it failed.
 * Refusals of tokens are sampled like failed sign-ins.
 * @throws Error at startup, for an administrative route that changes something but declares no audit action.
 */
export function auditActs(
  app: FastifyInstance,
  deps: { record: (record: AuditRecord) => Promise<void>; addressOf: ClientAddressOf },
): void {
  const sampleRefusal = createFailureSampling()
  app.addHook('onRoute', ({ config, method, url }) => {
    const isChanging = [method].flat().some((verb) => !READ_METHODS.includes(verb))
    if (config?.access === 'admin' && isChanging && config.audit === undefined) {
      throw new Error(`${String(method)} ${url} declares no audit action`)
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
    const action = actionOf(request, isRefusedToken)
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
function actionOf(
  { method, routeOptions }: Pick<FastifyRequest, 'method' | 'routeOptions'>,
  isRefusedToken: boolean,
): AuditRecord['action'] | null {
  const { audit, sessionOnly } = routeOptions.config
  if (isRefusedToken && (audit === false || sessionOnly === true)) {
    return audit || `${method} /${(routeOptions.url ?? '').slice(1)}`
  }
  return audit || null
}
