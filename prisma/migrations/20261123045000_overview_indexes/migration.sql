-- CreateIndex
CREATE INDEX "chat_sessions_user_id_created_at_idx" ON "chat_sessions"("user_id", "created_at" DESC);

-- The overview counts all calls of agents that a person ever made, and nothing else of what is older than a month.
CREATE INDEX "activities_agent_calls_idx" ON "activities" ("user_id") WHERE "kind" = 'agent';
