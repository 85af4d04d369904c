import { join } from 'node:path'
import type { LocalCapability } from '../adapters/ai/local/catalogue.ts'
import type { HubOptions } from '../adapters/ai/local/hub.ts'
import { createLocalAi, type LocalAi } from '../adapters/ai/local/local-ai.ts'
import { createLocalModelFiles, type LocalModelsOptions } from '../adapters/ai/local/local-models.ts'
import type { RunnerLimits } from '../adapters/ai/local/local-runner.ts'
import type { Config } from '../config.ts'
import { createModelsService, type ModelsService } from '../features/models/models.service.ts'
import { createModelsStore } from '../features/models/models.store.ts'
import type { Log } from '../log.ts'
import type { Database } from '../platform/database/client.ts'
import type { Events } from '../platform/events/events.service.ts'
import type { Caging } from '../platform/sandbox/caging.ts'

/** Short times make tests fast. */
export interface LocalLimits {
  hub?: Partial<HubOptions>
  files?: Partial<Pick<LocalModelsOptions, 'pauseMs' | 'lookEveryMs'>>
  processes?: Partial<RunnerLimits>
}

/** Builds the engines whose models run on this machine, and looks which models are there. */
export async function openLocalAi(tools: {
  config: Pick<Config, 'dataDir' | 'localModels' | 'modelsDir' | 'modelsHubUrl'>
  caging: Caging
  chosenModel(capability: LocalCapability): string | null
  limits: LocalLimits | undefined
  log: Log
}): Promise<LocalAi> {
  const { config, caging, chosenModel, limits, log } = tools
  const files = await createLocalModelFiles({
    isEnabled: config.localModels !== 'off',
    directory: config.modelsDir,
    // not beside them: those may be shared, and are seen by what runs them
    pinsDirectory: join(config.dataDir, 'model-pins'),
    hub: { baseUrl: config.modelsHubUrl, ...limits?.hub },
    log,
    ...limits?.files,
  })
  return createLocalAi({ caging, files, chosenModel, limits: limits?.processes, log })
}

/** Builds what administrators do with those models. */
export function buildModels(tools: { local: LocalAi; database: Database; events: Events; log: Log }): ModelsService {
  const { local, database, events, log } = tools
  return createModelsService({ local, store: createModelsStore(database), publish: events.publish, log })
}
