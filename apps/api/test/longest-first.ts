import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take longest, the longest first: one of them that began last would go on alone, with processors left over. */
const longest = [
  'features/media/hostile.routes',
  'features/media/long-scans.routes',
  'server',
  'adapters/media/ocr/ocr-tesseract',
  'features/backups/restore',
  'access',
  'jobs/queue',
  'features/media/films.routes',
  'hostile-inputs',
  'adapters/media/film/av',
  'features/media/crash',
  'db/maintenance',
  'adapters/ai/local/local-ai',
  'db/embedded',
  'features/chat/answering/faults.routes',
  'features/memory/word-index.upgrade',
  'features/imports/imports.routes',
].map((name) => `/src/${name}.test.ts`)

const placeOf = ({ moduleId }: TestSpecification) => {
  const place = longest.findIndex((name) => moduleId.endsWith(name))
  return place === -1 ? longest.length : place
}

/** Begins with what takes longest, in each project: a machine that never ran the tests knows only how large their files are. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return Object.values(Object.groupBy(sorted, ({ project }) => project.name)).flatMap((ofProject = []) =>
      ofProject.toSorted((one, other) => placeOf(one) - placeOf(other)),
    )
  }
}
