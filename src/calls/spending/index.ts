export { type AppFacts, factsOf } from './app-facts.ts';
export { checkBudget } from './check-budget.ts';
export { ReplicaSpending } from './replica-spending.ts';
