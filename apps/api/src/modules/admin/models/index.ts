import { join } from 'node:path'
import type { Config } from '../../../config.ts'
import type { LocalCapability } from '../../../engines/local/catalogue.ts'
import type { HubOptions } from '../../../engines/local/hub.ts'
import { createLocalAi, type LocalAi } from '../../../engines/local/local-ai.ts'
import { createLocalModelFiles, type LocalModelsOptions } from '../../../engines/local/local-models.ts'
import type { RunnerLimits } from '../../../engines/local/local-runner.ts'
import type { Log } from '../../../log.ts'
import type { Sandboxing } from '../../../platform/sandbox/sandboxing.ts'

/** Overrides that make tests fast. */
export interface LocalLimits {
  hub?: Partial<HubOptions>
  files?: Partial<Pick<LocalModelsOptions, 'retryDelayMs' | 'refreshIntervalMs'>>
  processes?: Partial<RunnerLimits>
}

/** Engines with models on this machine, after checking which models exist. */
export async function openLocalAi(tools: {
  config: Pick<Config, 'dataDir' | 'localModels' | 'modelsDir' | 'modelsHubUrl'>
  sandboxing: Sandboxing
  chosenModel(capability: LocalCapability): string | null
  limits: LocalLimits | undefined
  log: Log
}): Promise<LocalAi> {
  const { config, sandboxing, chosenModel, limits, log } = tools
  const files = await createLocalModelFiles({
    isEnabled: config.localModels !== 'off',
    directory: config.modelsDir,
    // Not in the models' folder, which other servers may share and the models' processes can read.
    pinsDirectory: join(config.dataDir, 'model-pins'),
    hub: { baseUrl: config.modelsHubUrl, ...limits?.hub },
    log,
    ...limits?.files,
  })
  return createLocalAi({ sandboxing, files, chosenModel, limits: limits?.processes, log })
}

export { createModelsService } from './models.service.ts'
