-- What Prisma cannot say: the list of conversations in its usual order, pinned ones first, so that a page of it is read and
-- not all that a person has. Its expression is that of the list (features/chat/sessions/sessions.store.ts).
CREATE INDEX "chat_sessions_list_idx" ON "chat_sessions" ("user_id", ("pinned_at" IS NOT NULL) DESC, "updated_at" DESC, "id" DESC);
