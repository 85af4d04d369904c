import type { RecipeSteps } from '@mira/shared'
import { recordActivity } from '../../../platform/database/activity.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Prisma } from '../../../platform/database/generated/client.ts'
import type { EffectImageModel } from '../../../platform/database/generated/models/EffectImage.ts'

/** A stored picture made with effects. */
export type EffectImageRow = Omit<EffectImageModel, 'recipe'> & { recipe: RecipeSteps }

export interface NewEffectImage {
  effectName: string
  recipe: RecipeSteps
  prompt: string | null
  sourceFilename: string
  sourceMediaId: string | null
  sourceNumber: number | null
  path: string
  sha256: string
  sizeBytes: number
  width: number
  height: number
  /** Id of the file's reservation. */
  reservationId: string
}

export interface RecipeRow {
  id: string
  name: string
  steps: RecipeSteps
  createdAt: Date
}

export type EffectsStore = ReturnType<typeof createEffectsStore>

/** Access to pictures made with effects and to recipes, each of which belongs to one user. */
export function createEffectsStore({ prisma }: Pick<Database, 'prisma'>) {
  const toRow = (model: EffectImageModel): EffectImageRow => ({ ...model, recipe: model.recipe as RecipeSteps })
  const toRecipe = ({ id, name, steps, createdAt }: RecipeRow | (Omit<RecipeRow, 'steps'> & { steps: unknown })) => ({
    id,
    name,
    createdAt,
    steps: steps as RecipeSteps,
  })

  return {
    recordActivity: (activity: Parameters<typeof recordActivity>[1]) => recordActivity(prisma, activity),

    /** Adds a picture whose file is stored, with its activity. */
    async add(
      userId: string,
      { reservationId, ...image }: NewEffectImage,
      activity: { durationMs: number; countsInAnalytics: boolean },
    ): Promise<EffectImageRow> {
      return prisma.$transaction(async (tx) => {
        const model = await tx.effectImage.create({ data: { userId, ...image } })
        await tx.unreferencedFile.deleteMany({ where: { id: reservationId } })
        const detail = { action: 'effect_applied', title: image.sourceFilename, effect: image.effectName }
        await recordActivity(tx, { userId, kind: 'effect', subjectId: model.id, detail, ...activity })
        return toRow(model)
      })
    },

    async find(userId: string, id: string): Promise<EffectImageRow | null> {
      const model = await prisma.effectImage.findUnique({ where: { id, userId } })
      return model && toRow(model)
    },

    /** Newest first; `afterId` is the last id of the previous page. */
    async list(userId: string, { limit, afterId }: { limit: number; afterId?: string }): Promise<EffectImageRow[]> {
      const models = await prisma.effectImage.findMany({
        where: { userId, ...(afterId === undefined ? {} : { id: { lt: afterId } }) },
        orderBy: { id: 'desc' },
        take: limit,
      })
      return models.map(toRow)
    },

    /** Deletes an image and erases it from activities. @returns false when it didn't exist. */
    async remove(userId: string, id: string): Promise<boolean> {
      return prisma.$transaction(async (tx) => {
        const { count } = await tx.effectImage.deleteMany({ where: { id, userId } })
        await tx.$executeRaw`UPDATE activities
          SET detail = jsonb_build_object('action', detail -> 'action', 'effect', detail -> 'effect')
          WHERE user_id = ${userId}::uuid AND subject_id = ${id}::uuid`
        return count > 0
      })
    },

    /** Runs work in a transaction that keeps the picture from being removed; null when it's gone. */
    async withLockedPicture<T>(
      userId: string,
      id: string,
      work: (tx: Prisma.TransactionClient) => Promise<T>,
    ): Promise<T | null> {
      return prisma.$transaction(async (tx) => {
        const rows = await tx.$queryRaw<unknown[]>`
          SELECT id FROM effect_images WHERE id = ${id}::uuid AND user_id = ${userId}::uuid FOR SHARE`
        return rows.length === 0 ? null : work(tx)
      })
    },

    /** Ids of these items that the user still has. */
    async existingItems(userId: string, ids: string[]): Promise<Set<string>> {
      if (ids.length === 0) return new Set()
      const rows = await prisma.mediaItem.findMany({ where: { userId, id: { in: ids } }, select: { id: true } })
      return new Set(rows.map(({ id }) => id))
    },

    async recipes(userId: string): Promise<RecipeRow[]> {
      const models = await prisma.effectRecipe.findMany({ where: { userId }, orderBy: { name: 'asc' } })
      return models.map(toRecipe)
    },

    countOtherRecipes: (userId: string, name: string): Promise<number> =>
      prisma.effectRecipe.count({ where: { userId, name: { not: name } } }),

    /** Stores a recipe, replacing one of the same name. */
    async saveRecipe(userId: string, { name, steps }: { name: string; steps: RecipeSteps }): Promise<RecipeRow> {
      const model = await prisma.effectRecipe.upsert({
        where: { userId_name: { userId, name } },
        create: { userId, name, steps },
        update: { steps },
      })
      return toRecipe(model)
    },

    /** @returns false when it didn't exist. */
    async removeRecipe(userId: string, id: string): Promise<boolean> {
      return (await prisma.effectRecipe.deleteMany({ where: { id, userId } })).count > 0
    },
  }
}
