import type { Common } from '../../../common.ts'
import type { Config } from '../../../config.ts'
import { createTrials } from '../../../engines/trials/trials.ts'
import type { Log } from '../../../log.ts'
import type { Ocr } from '../../../parsers/ocr/ocr.ts'
import type { Database } from '../../../platform/database/client.ts'
import { defaultSettings } from '../../../platform/settings/default-settings.ts'
import {
  createSettingsService,
  createSettingsStore,
  type SettingsService,
} from '../../../platform/settings/settings.service.ts'
import { createEnginesService } from './engines.service.ts'

/** Interval of reading the settings again, in case this server missed the message about a change. */
const POLL_MS = 15_000

/** Opens the settings of the instance. */
export async function openSettings(tools: {
  config: Pick<Config, 'assistantName' | 'oidc' | 'backupOffsite'>
  database: Database
  log: Log
}): Promise<SettingsService> {
  const { config, database, log } = tools
  const settings = createSettingsService({
    store: createSettingsStore(database),
    defaults: defaultSettings(config.assistantName, {
      oidcCreatesAccounts: config.oidc?.createsAccounts ?? false,
      backupOffsite: config.backupOffsite,
    }),
    listen: database.listen,
    notify: database.notify,
    pollMs: database.engine === 'server' ? POLL_MS : null,
    log,
  })
  await settings.open()
  return settings
}

/** Engines of each capability, and their trials. */
export function buildEngines(deps: Pick<Common, 'config' | 'ai' | 'log' | 'withTempFolder'> & { ocr: Ocr }) {
  return createEnginesService({ ...deps, trials: createTrials(deps) })
}
