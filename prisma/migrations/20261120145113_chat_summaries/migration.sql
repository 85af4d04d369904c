-- CreateTable
CREATE TABLE "chat_summaries" (
    "id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "until_message_id" UUID NOT NULL,
    "content" TEXT NOT NULL,
    "model" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "chat_summaries_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "chat_summaries_session_id_idx" ON "chat_summaries"("session_id");

-- CreateIndex
CREATE INDEX "chat_summaries_until_message_id_idx" ON "chat_summaries"("until_message_id");

-- AddForeignKey
ALTER TABLE "chat_summaries" ADD CONSTRAINT "chat_summaries_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "chat_sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "chat_summaries" ADD CONSTRAINT "chat_summaries_until_message_id_fkey" FOREIGN KEY ("until_message_id") REFERENCES "chat_messages"("id") ON DELETE CASCADE ON UPDATE CASCADE;
