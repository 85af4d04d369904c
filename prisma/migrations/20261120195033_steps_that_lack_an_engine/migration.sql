-- AlterTable
ALTER TABLE "media_steps" ADD COLUMN     "lacks" TEXT;

-- Few lack one, and they are looked for whenever an engine appears.
CREATE INDEX "media_steps_lacks_idx" ON "media_steps" ("lacks") WHERE "lacks" IS NOT NULL;
