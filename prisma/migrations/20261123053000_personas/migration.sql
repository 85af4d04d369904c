-- AlterTable
ALTER TABLE "chat_sessions" ADD COLUMN     "persona_id" UUID;

-- CreateTable
CREATE TABLE "personas" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "instructions" TEXT NOT NULL DEFAULT '',
    "model" TEXT,
    "tools" JSONB,
    "starters" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "picture" TEXT,
    "shared_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "personas_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "persona_items" (
    "persona_id" UUID NOT NULL,
    "media_item_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,

    CONSTRAINT "persona_items_pkey" PRIMARY KEY ("persona_id","media_item_id")
);

-- CreateIndex
CREATE INDEX "personas_user_id_idx" ON "personas"("user_id");

-- CreateIndex
CREATE INDEX "persona_items_media_item_id_idx" ON "persona_items"("media_item_id");

-- CreateIndex
CREATE INDEX "chat_sessions_persona_id_idx" ON "chat_sessions"("persona_id");

-- AddForeignKey
ALTER TABLE "chat_sessions" ADD CONSTRAINT "chat_sessions_persona_id_fkey" FOREIGN KEY ("persona_id") REFERENCES "personas"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "personas" ADD CONSTRAINT "personas_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "persona_items" ADD CONSTRAINT "persona_items_persona_id_fkey" FOREIGN KEY ("persona_id") REFERENCES "personas"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "persona_items" ADD CONSTRAINT "persona_items_media_item_id_fkey" FOREIGN KEY ("media_item_id") REFERENCES "media_items"("id") ON DELETE CASCADE ON UPDATE CASCADE;
